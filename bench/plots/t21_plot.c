/*
 * t21_plot.c: turns the traces of `cairn solve --trace` into line plots: SVG, self-contained, logarithmic y axis.
 *
 *     t21_plot OUT.svg --title TEXT --note TEXT [--most N] --panel COLUMN LABEL ... --series LABEL FILE.csv ...
 *
 * One panel a column of the traces, side by side; one line a trace in each; the legend on the right. A dot ends a trace that
 * stops before the right edge. Values that a logarithmic axis cannot show, exact zeros and values more than 14 decades below
 * the largest, are hollow triangles on the lower edge. Empty cells are left out.
 */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SERIES_MAX = 12,
    PANELS_MAX = 3,
    PANEL_WIDTH = 400,
    PANEL_HEIGHT = 320,
    LEFT = 78,
    TOP = 76,
    BOTTOM = 62,
    GAP = 84,
    LEGEND = 265,
    DECADES_MAX = 14,
    TRIANGLES_MAX = 12,
    TRIANGLE_ROW = 9
};

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#8A6D00", "#56B4E9", "#333333", "#A00000"};
static const char *const dashes[] = {"", "7 3", "2 3"};
enum { COLOURS = sizeof colours / sizeof colours[0], DASHES = sizeof dashes / sizeof dashes[0] };

typedef struct series {
    const char *label, *path;
    int points;
    double *x;             /* points: iteration */
    double *y[PANELS_MAX]; /* points: one array a panel, NAN where the trace has nothing */
} series;

typedef struct plot {
    const char *out, *title, *note;
    double most; /* largest iteration shown; 0: all */
    int panels, lines;
    const char *column[PANELS_MAX], *label[PANELS_MAX];
    series line[SERIES_MAX];
    double x_most;
    int low[PANELS_MAX], high[PANELS_MAX]; /* decades of the y axes */
    bool empty[PANELS_MAX];                /* nothing in it that a logarithmic axis can show */
} plot;

static bool complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("t21_plot: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

/* ---- reading ---- */

/* Place of a column in a line of titles, -1 when absent. */
static int find_column(const char *line, const char *name) {
    size_t length = strlen(name);
    for (int place = 0; line != NULL; place++) {
        if (strncmp(line, name, length) == 0 && strchr(",\r\n", line[length]) != NULL)
            return place;
        line = strchr(line, ',');
        line = line != NULL ? line + 1 : NULL;
    }
    return -1;
}

/* Cell number `place` of a line; NAN when it is empty or absent. */
static double read_cell(const char *line, int place) {
    for (; place > 0 && line != NULL; place--) {
        line = strchr(line, ',');
        line = line != NULL ? line + 1 : NULL;
    }
    if (line == NULL)
        return NAN;
    char *end = NULL;
    double value = strtod(line, &end);
    return end == line ? NAN : value;
}

static bool grow(series *s, int panels, int room) {
    double *x = realloc(s->x, (size_t)room * sizeof *x);
    if (x == NULL)
        return complain("out of memory");
    s->x = x;
    for (int i = 0; i < panels; i++) {
        double *y = realloc(s->y[i], (size_t)room * sizeof *y);
        if (y == NULL)
            return complain("out of memory");
        s->y[i] = y;
    }
    return true;
}

static bool read_lines(const plot *p, series *s, FILE *in) {
    char line[1024];
    int place[PANELS_MAX], room = 0;
    if (fgets(line, sizeof line, in) == NULL || find_column(line, "iteration") != 0)
        return complain("%s is no trace: the first column must be 'iteration'", s->path);
    for (int i = 0; i < p->panels; i++) {
        place[i] = find_column(line, p->column[i]);
        if (place[i] < 0)
            return complain("%s has no column '%s'", s->path, p->column[i]);
    }
    while (fgets(line, sizeof line, in) != NULL) {
        double x = read_cell(line, 0);
        if (isnan(x) || (p->most > 0.0 && x > p->most))
            continue;
        if (s->points == room) {
            room = room > 0 ? 2 * room : 256;
            if (!grow(s, p->panels, room))
                return false;
        }
        s->x[s->points] = x;
        for (int i = 0; i < p->panels; i++)
            s->y[i][s->points] = read_cell(line, place[i]);
        s->points++;
    }
    return s->points > 0 ? true : complain("%s holds no iteration", s->path);
}

static bool read_series(const plot *p, series *s) {
    FILE *in = fopen(s->path, "r");
    if (in == NULL)
        return complain("%s cannot be read", s->path);
    bool good = read_lines(p, s, in);
    fclose(in);
    return good;
}

/* ---- scales ---- */

/* Decades to add below, so that the triangles of all series have a band of their own. */
static int zero_band(const plot *p, int panel) {
    bool any = false;
    for (int l = 0; l < p->lines; l++)
        for (int j = 0; j < p->line[l].points; j++)
            any = any || p->line[l].y[panel][j] <= 0.0;
    double band = TRIANGLE_ROW * (p->lines + 0.5);
    return any ? (int)ceil((p->high[panel] - p->low[panel]) * band / (PANEL_HEIGHT - band)) : 0;
}

static void set_ranges(plot *p) {
    p->x_most = fmax(1.0, p->most);
    for (int i = 0; i < p->panels; i++) {
        double least = INFINITY, most = 0.0;
        for (int l = 0; l < p->lines; l++)
            for (int j = 0; j < p->line[l].points; j++) {
                double y = p->line[l].y[i][j];
                p->x_most = fmax(p->x_most, p->line[l].x[j]);
                if (y > 0.0 && isfinite(y)) {
                    least = fmin(least, y);
                    most = fmax(most, y);
                }
            }
        p->empty[i] = !(most > 0.0);
        p->high[i] = most > 0.0 ? (int)ceil(log10(most)) : 0;
        p->low[i] = most > 0.0 ? (int)floor(log10(least)) : -1;
        if (p->low[i] < p->high[i] - DECADES_MAX)
            p->low[i] = p->high[i] - DECADES_MAX;
        if (p->low[i] == p->high[i])
            p->low[i]--;
        p->low[i] -= zero_band(p, i);
    }
}

static double panel_left(int panel) {
    return LEFT + panel * (PANEL_WIDTH + GAP);
}

static double place_x(const plot *p, int panel, double x) {
    return panel_left(panel) + PANEL_WIDTH * x / p->x_most;
}

static double place_y(const plot *p, int panel, double y) {
    double share = (log10(y) - p->low[panel]) / (p->high[panel] - p->low[panel]);
    return TOP + PANEL_HEIGHT * (1.0 - share);
}

static bool visible(const plot *p, int panel, double y) {
    return y > 0.0 && log10(y) >= p->low[panel];
}

/* 1, 2 or 5 times a power of ten, so that there are four to nine steps. */
static double nice_step(double most) {
    double step = pow(10.0, floor(log10(most / 4.0)));
    if (most / step > 20.0)
        return 5.0 * step;
    return most / step > 9.0 ? 2.0 * step : step;
}

/* ---- drawing ---- */

static void put_text(FILE *out, const char *text) {
    for (; *text != '\0'; text++)
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else
            fputc(*text, out);
}

static void draw_axes(const plot *p, FILE *out, int panel) {
    double left = panel_left(panel), bottom = TOP + PANEL_HEIGHT;
    fprintf(out, "<rect x='%g' y='%d' width='%d' height='%d' fill='#ffffff' stroke='#888888'/>\n", left, TOP,
            PANEL_WIDTH, PANEL_HEIGHT);
    int every = 1 + (p->high[panel] - p->low[panel] - 1) / 8;
    for (int decade = p->high[panel]; !p->empty[panel] && decade >= p->low[panel]; decade -= every) {
        double y = place_y(p, panel, pow(10.0, decade));
        fprintf(out, "<path d='M%g %.1fh%d' stroke='#e4e4e4'/>\n", left, y, PANEL_WIDTH);
        fprintf(out, "<text x='%g' y='%.1f' text-anchor='end'>10<tspan dy='-5' font-size='10'>%s%d</tspan></text>\n",
                left - 8, y + 5, decade < 0 ? "&#8722;" : "", abs(decade));
    }
    double step = nice_step(p->x_most);
    for (double x = 0.0; x <= p->x_most * (1.0 + 1e-9); x += step)
        fprintf(out, "<path d='M%.1f %dv%d' stroke='#e4e4e4'/><text x='%.1f' y='%.1f' text-anchor='middle'>%g</text>\n",
                place_x(p, panel, x), TOP, PANEL_HEIGHT, place_x(p, panel, x), bottom + 18, x);
    fprintf(out, "<text x='%g' y='%g' text-anchor='middle'>iteration</text>\n", left + PANEL_WIDTH / 2.0, bottom + 38);
    if (p->empty[panel])
        fprintf(out, "<text x='%g' y='%d' text-anchor='middle'>exactly zero in every iteration</text>\n",
                left + PANEL_WIDTH / 2.0, TOP + PANEL_HEIGHT / 2);
    fprintf(out, "<text transform='translate(%g %d) rotate(-90)' text-anchor='middle'>", left - 52,
            TOP + PANEL_HEIGHT / 2);
    put_text(out, p->label[panel]);
    fputs("</text>\n", out);
    fprintf(out, "<rect x='%g' y='%d' width='%d' height='%d' fill='none' stroke='#888888'/>\n", left, TOP, PANEL_WIDTH,
            PANEL_HEIGHT);
}

/* Hollow triangles on the lower edge, spread out so that they can be told apart; each series a little higher. */
static void draw_zeros(const plot *p, FILE *out, int panel, int index) {
    const series *s = &p->line[index];
    double spacing = p->x_most / TRIANGLES_MAX, next = 0.0, y = TOP + PANEL_HEIGHT - 2.0 - TRIANGLE_ROW * index;
    for (int j = 0; j < s->points; j++) {
        double value = s->y[panel][j];
        if (isnan(value) || visible(p, panel, value) || s->x[j] < next)
            continue;
        double x = place_x(p, panel, s->x[j]);
        fprintf(out, "<path d='M%.1f %.1fl-4 -7h8z' fill='#ffffff' stroke='%s'/>\n", x, y, colours[index % COLOURS]);
        next = s->x[j] + spacing;
    }
}

static void draw_line(const plot *p, FILE *out, int panel, int index) {
    const series *s = &p->line[index];
    const char *colour = colours[index % COLOURS];
    bool pen = false;
    int last = -1;
    fprintf(out, "<path fill='none' stroke-width='1.8' stroke-linejoin='round' stroke='%s' stroke-dasharray='%s' d='",
            colour, dashes[index / 2 % DASHES]);
    for (int j = 0; j < s->points; j++) {
        double value = s->y[panel][j];
        if (isnan(value))
            continue;
        if (!visible(p, panel, value)) {
            pen = false;
            continue;
        }
        fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M', place_x(p, panel, s->x[j]), place_y(p, panel, value));
        pen = true;
        last = j;
    }
    fputs("'/>\n", out);
    bool ends = s->x[s->points - 1] < p->x_most;
    if (last == s->points - 1 && (ends || s->points == 1))
        fprintf(out, "<circle cx='%.1f' cy='%.1f' r='3.5' fill='%s'/>\n", place_x(p, panel, s->x[last]),
                place_y(p, panel, s->y[panel][last]), colour);
    draw_zeros(p, out, panel, index);
}

static void draw_legend(const plot *p, FILE *out) {
    double x = panel_left(p->panels - 1) + PANEL_WIDTH + 18;
    for (int i = 0; i < p->lines; i++) {
        double y = TOP + 14 + 22 * i;
        fprintf(out, "<path d='M%g %gh30' stroke='%s' stroke-width='2.2' stroke-dasharray='%s'/>", x, y,
                colours[i % COLOURS], dashes[i / 2 % DASHES]);
        fprintf(out, "<text x='%g' y='%g'>", x + 38, y + 4);
        put_text(out, p->line[i].label);
        fputs("</text>\n", out);
    }
}

static void draw(const plot *p, FILE *out) {
    double width = panel_left(p->panels - 1) + PANEL_WIDTH + LEGEND, height = TOP + PANEL_HEIGHT + BOTTOM;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%g' height='%g' viewBox='0 0 %g %g' "
            "font-family='sans-serif' font-size='13' fill='#222222'>\n<rect width='%g' height='%g' fill='#fafafa'/>\n",
            width, height, width, height, width, height);
    fprintf(out, "<text x='%d' y='28' font-size='17' font-weight='bold'>", LEFT);
    put_text(out, p->title);
    fprintf(out, "</text>\n<text x='%d' y='50' fill='#555555'>", LEFT);
    put_text(out, p->note);
    fputs("</text>\n", out);
    for (int panel = 0; panel < p->panels; panel++) {
        draw_axes(p, out, panel);
        for (int i = 0; i < p->lines; i++)
            draw_line(p, out, panel, i);
    }
    draw_legend(p, out);
    fputs("</svg>\n", out);
}

/* ---- the program ---- */

/* Reads one option with its values from argv[*at] on and moves *at past them. */
static bool read_option(plot *p, int argc, char **argv, int *at) {
    const char *name = argv[*at];
    bool pair = strcmp(name, "--panel") == 0 || strcmp(name, "--series") == 0;
    if (*at + (pair ? 2 : 1) >= argc)
        return complain("%s: a value is missing", name);
    const char *first = argv[*at + 1], *second = pair ? argv[*at + 2] : NULL;
    *at += pair ? 3 : 2;
    if (strcmp(name, "--title") == 0)
        p->title = first;
    else if (strcmp(name, "--note") == 0)
        p->note = first;
    else if (strcmp(name, "--most") == 0)
        p->most = strtod(first, NULL);
    else if (strcmp(name, "--panel") == 0 && p->panels < PANELS_MAX) {
        p->column[p->panels] = first;
        p->label[p->panels++] = second;
    } else if (strcmp(name, "--series") == 0 && p->lines < SERIES_MAX) {
        p->line[p->lines].label = first;
        p->line[p->lines++].path = second;
    } else
        return complain("%s is no option, or there are too many", name);
    return true;
}

static bool run(plot *p, int argc, char **argv) {
    p->out = argv[1];
    for (int at = 2; at < argc;)
        if (!read_option(p, argc, argv, &at))
            return false;
    if (p->panels == 0 || p->lines == 0)
        return complain("at least one --panel and one --series are needed");
    for (int i = 0; i < p->lines; i++)
        if (!read_series(p, &p->line[i]))
            return false;
    set_ranges(p);
    FILE *out = fopen(p->out, "w");
    if (out == NULL)
        return complain("%s cannot be written", p->out);
    draw(p, out);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad;
    return bad ? complain("%s could not be written in full", p->out) : true;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        puts("t21_plot draws the traces of `cairn solve --trace`; `make figures` calls it.");
        return 0;
    }
    plot p = {.title = "", .note = ""};
    bool good = run(&p, argc, argv);
    for (int i = 0; i < p.lines; i++) {
        free(p.line[i].x);
        for (int j = 0; j < PANELS_MAX; j++)
            free(p.line[i].y[j]);
    }
    return good ? 0 : 1;
}
