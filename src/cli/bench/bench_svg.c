/*
 * bench_svg.c: draws a performance profile as SVG: self-contained, readable in black and white
 * (each line has a dash pattern and a mark of its own), tau on a base-2 logarithmic axis.
 */
#include "cli/bench/bench.h"

#include <math.h>
#include <stdlib.h>

enum { LEFT = 70, TOP = 74, WIDTH = 520, HEIGHT = 340, BOTTOM = 58, LEGEND = 280, ROW = 21, OCTAVES_MAX = 20 };

/* c0 to c7 of web/src/look.css */
static const char *const colours[] = {"#0072b2", "#d55e00", "#00875f", "#b8568f",
                                      "#8a6d00", "#6b4bc3", "#333333", "#a00000"};
static const char *const dashes[] = {"none", "8 4", "2.5 3", "10 3 2.5 3", "14 4"};
enum { COLOURS = sizeof colours / sizeof colours[0], DASHES = sizeof dashes / sizeof dashes[0], MARKS = 6 };

typedef struct plot {
    FILE *out;
    const bench_table *table;
    const double *ratio;
    double *sorted; /* problems */
    int octaves;    /* the axis ends at tau = 2^octaves */
} plot;

static double place_x(const plot *p, double tau) {
    return LEFT + WIDTH * fmin(1.0, log2(tau) / p->octaves);
}

static double place_y(double share) {
    return TOP + HEIGHT * (1.0 - share);
}

/* The axis reaches the largest ratio, within limits. */
static int octaves_of(const bench_table *table, const double *ratio) {
    double most = 2.0;
    for (int i = 0; i < table->problems * table->methods; i++)
        if (isfinite(ratio[i]))
            most = fmax(most, ratio[i]);
    return (int)fmin(OCTAVES_MAX, ceil(log2(most) + 0.01));
}

static void draw_axes(const plot *p) {
    FILE *out = p->out;
    for (int i = 0; i <= 5; i++) {
        double y = place_y(0.2 * i);
        fprintf(out, "<path d='M%d %.1fh%d' stroke='%s'/>", LEFT, y, WIDTH, i == 0 ? "#222222" : "#dddddd");
        fprintf(out, "<text x='%d' y='%.1f' text-anchor='end'>%.1f</text>\n", LEFT - 8, y + 4.5, 0.2 * i);
    }
    int step = p->octaves > 10 ? 2 : 1;
    for (int i = 0; i <= p->octaves; i += step) {
        double x = place_x(p, ldexp(1.0, i));
        fprintf(out, "<path d='M%.1f %dv%d' stroke='%s'/>", x, TOP, HEIGHT + 5, i == 0 ? "#222222" : "#e8e8e8");
        if (i <= 10)
            fprintf(out, "<text x='%.1f' y='%d' text-anchor='middle'>%.0f</text>\n", x, TOP + HEIGHT + 21,
                    ldexp(1.0, i));
        else
            fprintf(out,
                    "<text x='%.1f' y='%d' text-anchor='middle'>2<tspan dy='-5' font-size='10'>%d</tspan></text>\n", x,
                    TOP + HEIGHT + 21, i);
    }
    fprintf(out,
            "<text x='%d' y='%d' text-anchor='middle'>\xcf\x84: time over the best time on the same problem</text>\n",
            LEFT + WIDTH / 2, TOP + HEIGHT + 46);
    fprintf(out,
            "<text transform='translate(22 %d) rotate(-90)' text-anchor='middle'>share of problems solved</text>\n",
            TOP + HEIGHT / 2);
}

/* One of six marks, filled or hollow. */
static void draw_mark(FILE *out, int s, double x, double y) {
    static const char *const shape[MARKS] = {"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
                                             "M-3.6 -3.6h7.2v7.2h-7.2z",
                                             "M0 -4.8L4.4 3.4H-4.4z",
                                             "M0 -5L5 0L0 5L-5 0z",
                                             "M0 4.8L4.4 -3.4H-4.4z",
                                             "M-4 -1.4h2.6v-2.6h2.8v2.6h2.6v2.8h-2.6v2.6h-2.8v-2.6h-2.6z"};
    bool hollow = s / MARKS % 2 == 1;
    fprintf(out, "<path transform='translate(%.1f %.1f)' d='%s' fill='%s' stroke='%s' stroke-width='1.5'/>", x, y,
            shape[s % MARKS], hollow ? "#ffffff" : colours[s % COLOURS], colours[s % COLOURS]);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The staircase rho_s, and five marks along it; where marks sit differs from line to line. */
static void draw_line(const plot *p, int s) {
    const bench_table *t = p->table;
    for (int i = 0; i < t->problems; i++)
        p->sorted[i] = p->ratio[i * t->methods + s];
    qsort(p->sorted, (size_t)t->problems, sizeof *p->sorted, ascending);
    double most = ldexp(1.0, p->octaves);
    int within = 0;
    fprintf(p->out, "<path fill='none' stroke='%s' stroke-width='2' stroke-dasharray='%s' stroke-linejoin='round' d='",
            colours[s % COLOURS], dashes[s % DASHES]);
    while (within < t->problems && p->sorted[within] <= 1.0)
        within++;
    fprintf(p->out, "M%.1f %.1f", place_x(p, 1.0), place_y((double)within / t->problems));
    while (within < t->problems && p->sorted[within] <= most) {
        double x = place_x(p, p->sorted[within]);
        within++;
        fprintf(p->out, "H%.1fV%.1f", x, place_y((double)within / t->problems));
    }
    fprintf(p->out, "H%.1f'/>\n", place_x(p, most));
    for (int k = 0; k < 5; k++) {
        double tau = exp2(p->octaves * fmod((k + 0.5) / 5.0 + 0.037 * s, 1.0));
        draw_mark(p->out, s, place_x(p, tau), place_y(bench_profile_share(t->problems, t->methods, p->ratio, s, tau)));
    }
    fputc('\n', p->out);
}

static void draw_legend(const plot *p) {
    const bench_table *t = p->table;
    int x = LEFT + WIDTH + 24;
    fprintf(p->out, "<g font-size='12'><text x='%d' y='%d' fill='#555555'>method: \xcf\x81(1), solved</text>\n", x,
            TOP + 4);
    for (int s = 0; s < t->methods; s++) {
        double y = TOP + 24 + ROW * s;
        double first = bench_profile_share(t->problems, t->methods, p->ratio, s, 1.0);
        double last = bench_profile_share(t->problems, t->methods, p->ratio, s, 1e300);
        fprintf(p->out, "<path d='M%d %.1fh34' stroke='%s' stroke-width='2' stroke-dasharray='%s'/>", x, y - 4,
                colours[s % COLOURS], dashes[s % DASHES]);
        draw_mark(p->out, s, x + 17, y - 4);
        fprintf(p->out, "<text x='%d' y='%.1f'>", x + 42, y);
        cli_put_xml(p->out, t->method[s]);
        fprintf(p->out, "<tspan fill='#555555'>: %.2f, %.0f %%</tspan></text>\n", first, 100.0 * last);
    }
    fputs("</g>\n", p->out);
}

bool bench_svg_write(const bench_table *table, FILE *out) {
    double *ratio = bench_table_ratios(table), *sorted = calloc((size_t)table->problems + 1, sizeof *sorted);
    if (ratio == NULL || sorted == NULL) {
        free(ratio);
        free(sorted);
        return false;
    }
    char tolerance[24];
    plot p = {out, table, ratio, sorted, octaves_of(table, ratio)};
    int rows = TOP + 24 + ROW * table->methods + 8, height = TOP + HEIGHT + BOTTOM;
    height = rows > height ? rows : height;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "font-family='Helvetica, Arial, sans-serif' font-size='13' fill='#222222'>\n"
            "<rect width='%d' height='%d' fill='#ffffff'/>\n",
            LEFT + WIDTH + LEGEND, height, LEFT + WIDTH + LEGEND, height, LEFT + WIDTH + LEGEND, height);
    fprintf(out,
            "<text x='%d' y='30' font-size='17' font-weight='bold'>Performance profile, %s law, tolerance %s</text>\n",
            LEFT, table->law, bench_tolerance(table->tolerance, tolerance));
    fprintf(out, "<text x='%d' y='52' fill='#555555'>%d problem%s, load and solve, certified answers only</text>\n",
            LEFT, table->problems, table->problems == 1 ? "" : "s");
    draw_axes(&p);
    for (int s = table->methods - 1; s >= 0; s--)
        draw_line(&p, s);
    draw_legend(&p);
    fputs("</svg>\n", out);
    free(ratio);
    free(sorted);
    return ferror(out) == 0;
}
