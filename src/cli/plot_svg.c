/*
 * plot_svg.c: draws lines over an axis as SVG. Each line has a colour and a dash pattern of its
 * own; long ones are thinned out to two values (least and largest) a pixel, so that no peak is
 * lost.
 */
#include "cli/plot_svg.h"

#include <math.h>
#include <string.h>

enum { LEFT = 86, TOP = 66, WIDTH = 560, HEIGHT = 320, BOTTOM = 56, LEGEND = 190, ROW = 22 };

/* c0 to c7 of web/src/look.css */
static const char *const colours[PLOT_LINES] = {"#0072b2", "#d55e00", "#00875f", "#b8568f",
                                                "#8a6d00", "#6b4bc3", "#333333", "#a00000"};
static const char *const dashes[5] = {"none", "8 4", "2.5 3", "10 3 2.5 3", "14 4"};

typedef struct axis {
    double low, high, step;
    bool log;
} axis;

static bool drawn(const plot *p, double y) {
    return isfinite(y) && (!p->log || y > 0.0);
}

/* Round ticks that hold low and high: 1, 2 or 5 times a power of ten apart, at most count of
 * them. */
static axis round_axis(double low, double high, int count) {
    if (!(high > low)) {
        double width = fabs(low) > 0.0 ? 0.1 * fabs(low) : 1.0;
        low -= width;
        high += width;
    }
    double raw = (high - low) / count, power = pow(10.0, floor(log10(raw))), x = raw / power;
    double step = (x <= 1.0 ? 1.0 : x <= 2.0 ? 2.0 : x <= 5.0 ? 5.0 : 10.0) * power;
    return (axis){floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step, false};
}

static axis y_axis(const plot *p) {
    double low = INFINITY, high = -INFINITY;
    for (int l = 0; l < p->lines; l++)
        for (int i = 0; i < p->count; i++)
            if (drawn(p, p->line[l].y[i])) {
                low = fmin(low, p->line[l].y[i]);
                high = fmax(high, p->line[l].y[i]);
            }
    if (isfinite(p->rule)) {
        low = fmin(low, p->rule);
        high = fmax(high, p->rule);
    }
    if (!(low <= high)) {
        low = p->log ? 0.1 : 0.0;
        high = 1.0;
    }
    if (!p->log)
        return round_axis(low > 0.0 && low < 0.4 * high ? 0.0 : low, high, 6);
    axis a = {floor(log10(low) - 1e-9), ceil(log10(high) + 1e-9), 1.0, true};
    a.low = fmax(a.low, a.high - 20.0);
    while ((a.high - a.low) / a.step > 8.0)
        a.step += 1.0;
    return a;
}

static double place_y(const axis *a, double y) {
    double at = a->log ? log10(y) : y;
    return TOP + HEIGHT * (1.0 - fmin(1.0, fmax(0.0, (at - a->low) / (a->high - a->low))));
}

static double place_x(const axis *a, double x) {
    return LEFT + WIDTH * (x - a->low) / (a->high - a->low);
}

static void draw_axes(const plot *p, const axis *x, const axis *y, FILE *out) {
    for (int i = 0; y->low + i * y->step <= y->high + 1e-9 * y->step; i++) {
        double value = y->low + i * y->step, at = TOP + HEIGHT * (1.0 - (value - y->low) / (y->high - y->low));
        fprintf(out, "<path d='M%d %.1fh%d' stroke='%s'/>", LEFT, at, WIDTH, i == 0 ? "#222222" : "#dddddd");
        if (y->log)
            fprintf(out,
                    "<text x='%d' y='%.1f' text-anchor='end'>10<tspan dy='-5' font-size='10'>%.0f</tspan></text>\n",
                    LEFT - 8, at + 4.5, value);
        else
            fprintf(out, "<text x='%d' y='%.1f' text-anchor='end'>%.6g</text>\n", LEFT - 8, at + 4.5,
                    fabs(value) < 1e-9 * y->step ? 0.0 : value);
    }
    for (int i = 0; x->low + i * x->step <= x->high + 1e-9 * x->step; i++) {
        double value = x->low + i * x->step;
        fprintf(out, "<path d='M%.1f %dv%d' stroke='%s'/>", place_x(x, value), TOP, HEIGHT + 5,
                i == 0 ? "#222222" : "#eeeeee");
        fprintf(out, "<text x='%.1f' y='%d' text-anchor='middle'>%.6g</text>\n", place_x(x, value), TOP + HEIGHT + 21,
                value);
    }
    fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>", LEFT + WIDTH / 2, TOP + HEIGHT + 44);
    cli_put_xml(out, p->x_name);
    fprintf(out, "</text>\n<text transform='translate(20 %d) rotate(-90)' text-anchor='middle'>", TOP + HEIGHT / 2);
    cli_put_xml(out, p->y_name);
    fputs("</text>\n", out);
}

/* The line as pieces of a path: a gap begins a new one. Of the values within one pixel the
 * first, least, largest and last. */
static void draw_line(const plot *p, int l, const axis *x, const axis *y, FILE *out) {
    const double *v = p->line[l].y;
    bool begun = false;
    fprintf(out, "<path fill='none' stroke='%s' stroke-width='1.8' stroke-dasharray='%s' stroke-linejoin='round' d='",
            colours[l], dashes[l % 5]);
    for (int i = 0; i < p->count;) {
        if (!drawn(p, v[i])) {
            begun = false;
            i++;
            continue;
        }
        double pixel = floor(place_x(x, p->x[i])), least = v[i], most = v[i];
        int first = i;
        for (; i < p->count && drawn(p, v[i]) && floor(place_x(x, p->x[i])) == pixel; i++) {
            least = fmin(least, v[i]);
            most = fmax(most, v[i]);
        }
        fprintf(out, "%s%.1f %.1f", begun ? "L" : "M", place_x(x, p->x[first]), place_y(y, v[first]));
        begun = true;
        if (i - first > 2)
            fprintf(out, "L%.1f %.1fL%.1f %.1f", pixel + 0.3, place_y(y, least), pixel + 0.6, place_y(y, most));
        if (i - first > 1)
            fprintf(out, "L%.1f %.1f", place_x(x, p->x[i - 1]), place_y(y, v[i - 1]));
    }
    fputs("'/>\n", out);
}

static void draw_rule(const plot *p, const axis *y, FILE *out) {
    double at = place_y(y, p->rule);
    fprintf(out, "<path d='M%d %.1fh%d' stroke='#c62828' stroke-dasharray='5 4'/>", LEFT, at, WIDTH);
    fprintf(out, "<text x='%d' y='%.1f' fill='#c62828' font-size='12'>", LEFT + 6, at - 5);
    cli_put_xml(out, p->rule_name);
    fputs("</text>\n", out);
}

static void draw_legend(const plot *p, FILE *out) {
    int x = LEFT + WIDTH + 20, row = 0;
    for (int l = 0; l < p->lines; l++, row++) {
        int y = TOP + 12 + ROW * row;
        fprintf(out,
                "<path d='M%d %dh30' stroke='%s' stroke-width='1.8' stroke-dasharray='%s'/><text x='%d' y='%d' "
                "font-size='12'>",
                x, y - 4, colours[l], dashes[l % 5], x + 38, y);
        cli_put_xml(out, p->line[l].name);
        fputs("</text>\n", out);
    }
    bool any = false;
    for (int i = 0; p->bad != NULL && i < p->count; i++)
        any = any || p->bad[i] > 0.0;
    if (any)
        fprintf(out,
                "<path d='M%d %dv9' stroke='#c62828' stroke-width='2'/><text x='%d' y='%d' font-size='12'>not "
                "certified</text>\n",
                x + 15, TOP + 3 + ROW * row, x + 38, TOP + 12 + ROW * row);
}

bool plot_svg_write(const plot *p, FILE *out) {
    axis x = round_axis(p->x[0], p->x[p->count - 1], 8), y = y_axis(p);
    x.low = p->x[0] >= x.low ? x.low : p->x[0];
    int width = LEFT + WIDTH + LEGEND, height = TOP + HEIGHT + BOTTOM;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#222222'>\n<rect width='%d' height='%d' "
            "fill='#ffffff'/>\n",
            width, height, width, height, width, height);
    fprintf(out, "<text x='%d' y='28' font-size='17' font-weight='bold'>", LEFT);
    cli_put_xml(out, p->title);
    fprintf(out, "</text>\n<text x='%d' y='48' fill='#555555'>", LEFT);
    cli_put_xml(out, p->subtitle);
    fputs("</text>\n", out);
    draw_axes(p, &x, &y, out);
    if (isfinite(p->rule))
        draw_rule(p, &y, out);
    for (int l = p->lines - 1; l >= 0; l--)
        draw_line(p, l, &x, &y, out);
    for (int i = 0; p->bad != NULL && i < p->count; i++)
        if (p->bad[i] > 0.0)
            fprintf(out, "<path d='M%.1f %dv-9' stroke='#c62828' stroke-width='2'/>\n", place_x(&x, p->x[i]),
                    TOP + HEIGHT);
    draw_legend(p, out);
    fputs("</svg>\n", out);
    return ferror(out) == 0;
}
