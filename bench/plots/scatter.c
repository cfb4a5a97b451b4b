/*
 * scatter.c: two columns of a CSV file as a scatter plot: SVG, self-contained, linear axes from zero.
 *
 *     scatter OUT.svg IN.csv X-COLUMN Y-COLUMN [--title T] [--note T] [--x LABEL] [--y LABEL]
 *
 * A line joins the means of ten groups of equally many points, by x. The y axis ends at the 99.5th percentile, so that a few outliers do not
 * flatten the rest; points above it are drawn as hollow dots on the upper edge.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 360, LEFT = 70, TOP = 70, GROUPS = 10, ROW_MAX = 1024 };

typedef struct point {
    double x, y;
} point;

typedef struct plot {
    const char *title, *note, *x_label, *y_label;
    point *item;
    int count, room;
    double x_most, y_most;
} plot;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "scatter: %s: %s\n", what, why);
    exit(1);
}

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

static bool read_cell(const char *line, int place, double *value) {
    for (; place > 0 && line != NULL; place--) {
        line = strchr(line, ',');
        line = line != NULL ? line + 1 : NULL;
    }
    char *end = NULL;
    *value = line != NULL ? strtod(line, &end) : 0.0;
    return line != NULL && end != line && isfinite(*value);
}

static void read_points(plot *p, const char *path, const char *x, const char *y) {
    char line[ROW_MAX];
    FILE *in = fopen(path, "r");
    if (in == NULL || fgets(line, sizeof line, in) == NULL)
        fail(path, "cannot be read");
    int x_place = find_column(line, x), y_place = find_column(line, y);
    if (x_place < 0 || y_place < 0)
        fail(path, "a column is missing");
    while (fgets(line, sizeof line, in) != NULL) {
        point q;
        if (!read_cell(line, x_place, &q.x) || !read_cell(line, y_place, &q.y))
            continue;
        if (p->count == p->room) {
            p->room = p->room > 0 ? 2 * p->room : 1024;
            p->item = realloc(p->item, (size_t)p->room * sizeof *p->item);
            if (p->item == NULL)
                fail(path, "too long for the memory");
        }
        p->item[p->count++] = q;
    }
    fclose(in);
    if (p->count == 0)
        fail(path, "holds no point");
}

static int by_x(const void *a, const void *b) {
    const point *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->y > q->y) - (p->y < q->y);
}

static int by_y(const void *a, const void *b) {
    const point *p = a, *q = b;
    return (p->y > q->y) - (p->y < q->y);
}

static void set_ranges(plot *p) {
    qsort(p->item, (size_t)p->count, sizeof *p->item, by_y);
    p->y_most = fmax(1e-9, 1.1 * p->item[(int)(0.995 * (p->count - 1))].y);
    qsort(p->item, (size_t)p->count, sizeof *p->item, by_x);
    p->x_most = fmax(1e-9, 1.05 * p->item[p->count - 1].x);
}

static double nice_step(double most) {
    double step = pow(10.0, floor(log10(most / 4.0)));
    return most / step > 20.0 ? 5.0 * step : most / step > 9.0 ? 2.0 * step : step;
}

static double place_x(const plot *p, double x) {
    return LEFT + WIDTH * x / p->x_most;
}

static double place_y(const plot *p, double y) {
    return TOP + HEIGHT * (1.0 - fmin(1.0, y / p->y_most));
}

static void draw_axes(const plot *p, FILE *out) {
    fprintf(out, "<rect x='%d' y='%d' width='%d' height='%d' fill='#ffffff' stroke='#888888'/>\n", LEFT, TOP, WIDTH,
            HEIGHT);
    double step = nice_step(p->x_most);
    for (double x = 0.0; x <= p->x_most; x += step)
        fprintf(out, "<path d='M%.1f %dv%d' stroke='#e4e4e4'/><text x='%.1f' y='%d' text-anchor='middle'>%g</text>\n",
                place_x(p, x), TOP, HEIGHT, place_x(p, x), TOP + HEIGHT + 18, x);
    step = nice_step(p->y_most);
    for (double y = 0.0; y <= p->y_most; y += step)
        fprintf(out, "<path d='M%d %.1fh%d' stroke='#e4e4e4'/><text x='%d' y='%.1f' text-anchor='end'>%g</text>\n",
                LEFT, place_y(p, y), WIDTH, LEFT - 8, place_y(p, y) + 4, y);
    fprintf(out, "<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", LEFT + WIDTH / 2, TOP + HEIGHT + 40,
            p->x_label);
    fprintf(out, "<text transform='translate(%d %d) rotate(-90)' text-anchor='middle'>%s</text>\n", LEFT - 48,
            TOP + HEIGHT / 2, p->y_label);
}

static void draw_means(const plot *p, FILE *out) {
    fputs("<path fill='none' stroke='#D55E00' stroke-width='2.2' d='", out);
    for (int g = 0; g < GROUPS; g++) {
        int first = p->count * g / GROUPS, last = p->count * (g + 1) / GROUPS;
        double x = 0.0, y = 0.0;
        if (last == first)
            continue;
        for (int i = first; i < last; i++) {
            x += p->item[i].x / (last - first);
            y += p->item[i].y / (last - first);
        }
        fprintf(out, "%c%.1f %.1f", g == 0 ? 'M' : 'L', place_x(p, x), place_y(p, y));
    }
    fputs("'/>\n", out);
}

static void draw(const plot *p, FILE *out) {
    int width = LEFT + WIDTH + 30, height = TOP + HEIGHT + 60;
    fprintf(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' font-family='sans-serif' "
        "font-size='13' fill='#222222'>\n<rect width='%d' height='%d' fill='#fafafa'/>\n",
        width, height, width, height, width, height);
    fprintf(out,
            "<text x='%d' y='28' font-size='17' font-weight='bold'>%s</text>\n<text x='%d' y='50' "
            "fill='#555555'>%s</text>\n",
            LEFT, p->title, LEFT, p->note);
    draw_axes(p, out);
    for (int i = 0; i < p->count; i++) {
        bool above = p->item[i].y > p->y_most;
        fprintf(
            out,
            "<circle cx='%.1f' cy='%.1f' r='1.8' fill='%s' stroke='#0072B2' stroke-width='%s' fill-opacity='0.5'/>\n",
            place_x(p, p->item[i].x), place_y(p, p->item[i].y), above ? "none" : "#0072B2", above ? "1" : "0");
    }
    draw_means(p, out);
    fputs("</svg>\n", out);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        puts("scatter draws two columns of a CSV file; `make bench-anitescu` calls it.");
        return 0;
    }
    plot p = {.title = "", .note = "", .x_label = argv[3], .y_label = argv[4]};
    for (int i = 5; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--title") == 0)
            p.title = argv[i + 1];
        else if (strcmp(argv[i], "--note") == 0)
            p.note = argv[i + 1];
        else if (strcmp(argv[i], "--x") == 0)
            p.x_label = argv[i + 1];
        else if (strcmp(argv[i], "--y") == 0)
            p.y_label = argv[i + 1];
        else
            fail(argv[i], "expected --title, --note, --x or --y");
    read_points(&p, argv[2], argv[3], argv[4]);
    set_ranges(&p);
    FILE *out = fopen(argv[1], "w");
    if (out == NULL)
        fail(argv[1], "cannot be written");
    draw(&p, out);
    bool bad = ferror(out) != 0;
    bad = fclose(out) != 0 || bad;
    free(p.item);
    if (bad)
        fail(argv[1], "could not be written in full");
    return 0;
}
