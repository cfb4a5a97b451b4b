/*
 * plot_svg.h: lines over an axis as SVG, for papers: self-contained, readable in black and white.
 */
#ifndef CAIRN_CLI_PLOT_SVG_H
#define CAIRN_CLI_PLOT_SVG_H

#include "cli/cli.h"

enum { PLOT_LINES = 8 };

typedef struct plot_line {
    const char *name;
    double *y; /* count; NAN: a gap */
} plot_line;

typedef struct plot {
    const char *title, *subtitle, *x_name, *y_name;
    bool log;    /* y on a log axis: values that are not positive are gaps */
    double rule; /* a dashed line at this y; NAN: none */
    const char *rule_name;
    int count, lines;
    const double *x;
    plot_line line[PLOT_LINES];
    const double *bad; /* count: marks at the bottom where it is not 0; NULL: none */
} plot;

/* False: the file could not be written. */
bool plot_svg_write(const plot *plot, FILE *out);

#endif
