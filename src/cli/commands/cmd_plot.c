/*
 * cmd_plot.c: `cairn plot RUN.h5|TRACE.csv --what ...`: energies, certificates and contacts of a
 * recording, or the convergence of a solve, as SVG.
 */
#define _POSIX_C_SOURCE 200809L

#include "cli/plot_svg.h"
#include "cli/pictures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENERGY = 0, CERTIFICATE, CONTACTS, CONVERGENCE, TRACE_COLUMNS = 16 };

static void give_back(plot *p) {
    free((double *)p->x);
    free((double *)p->bad);
    for (int l = 0; l < p->lines; l++)
        free(p->line[l].y);
}

/* Room for lines of count values; false: no memory. */
static bool make_room(plot *p, int count, int lines, const char *const *name) {
    bool good = true;
    p->count = count;
    p->lines = lines;
    p->x = calloc((size_t)count + 1, sizeof *p->x);
    p->bad = calloc((size_t)count + 1, sizeof *p->bad);
    for (int l = 0; l < lines; l++) {
        p->line[l] = (plot_line){name[l], calloc((size_t)count + 1, sizeof(double))};
        good = good && p->line[l].y != NULL;
    }
    if (!good || p->x == NULL || p->bad == NULL)
        cli_complain("out of memory");
    return good && p->x != NULL && p->bad != NULL;
}

static void take_frame(plot *p, int what, int k, const cairn_frame *f, double *lost) {
    ((double *)p->x)[k] = f->time;
    ((double *)p->bad)[k] = f->uncertified;
    lost[0] += f->friction_work;
    lost[1] += f->impact_work - f->created_work;
    lost[2] += f->joint_work + f->load_work;
    int stick = 0, slip = 0;
    for (int i = 0; i < f->contacts; i++) {
        stick += f->contact_status[i] == CAIRN_CONTACT_STICK;
        slip += f->contact_status[i] == CAIRN_CONTACT_SLIP;
    }
    const double energy[] = {f->kinetic, f->potential, f->kinetic + f->potential + f->elastic, lost[0], lost[1],
                             lost[2],    f->elastic};
    const double certificate[] = {f->error, f->error_rms, f->error_angular};
    const double contacts[] = {f->contacts, stick, slip};
    const double *value = what == ENERGY ? energy : what == CERTIFICATE ? certificate : contacts;
    for (int l = 0; l < p->lines; l++)
        p->line[l].y[k] = value[l];
}

static int read_recording(cairn_context *context, const char *path, int what, plot *p, char *subtitle, size_t size,
                          int *damaged) {
    static const char *const energy[] = {
        "kinetic", "potential", "sum", "lost to friction", "lost in impacts", "done by joints, loads", "elastic"};
    static const char *const certificate[] = {"error, m/s", "mean, m/s", "error, rad/s"};
    static const char *const contacts[] = {"all", "sticking", "sliding"};
    static const char *const title[] = {"Energy", "Certificate of the steps", "Contacts"};
    static const char *const y_name[] = {"J", "m/s or rad/s", "contacts"};
    const char *const *name = what == ENERGY ? energy : what == CERTIFICATE ? certificate : contacts;
    cairn_recording *recording = NULL;
    cairn_status status = view_open(context, path, &recording);
    if (status != CAIRN_OK)
        return cli_report(context, path, status, false);
    cairn_recording_info info = cairn_recording_get(recording);
    int code = CLI_GO;
    double lost[3] = {0.0, 0.0, 0.0};
    p->title = title[what];
    p->x_name = "time, s";
    p->y_name = y_name[what];
    p->log = what == CERTIFICATE;
    p->rule = what == CERTIFICATE && info.tolerance_velocity > 0.0 ? info.tolerance_velocity : NAN;
    p->rule_name = "tolerance";
    snprintf(subtitle, size, "%s: %d bodies, method %s, %s law, step %g s", cli_basename(path), info.bodies,
             info.method, info.law, info.step);
    if (info.frames < 1 || info.frames > 100000000)
        code = cli_report_text(path, CAIRN_ERROR_PARSE, false, "%s: %lld frames cannot be drawn", path,
                               (long long)info.frames);
    else if (!make_room(p, (int)info.frames, what != ENERGY ? 3 : info.parts > 0 ? 7 : 6, name))
        code = CLI_BAD_FILE;
    for (int k = 0; code == CLI_GO && k < p->count; k++) {
        cairn_frame f;
        status = cairn_recording_frame(recording, k, &f);
        if (status != CAIRN_OK)
            code = cli_report(context, path, status, false);
        else
            take_frame(p, what, k, &f, lost);
    }
    *damaged = view_damage(recording);
    cairn_recording_close(recording);
    return code;
}

/* Numbers of a line between commas; what is no number becomes NAN. Returns how many. */
static int split(const char *line, double *value) {
    int count = 0;
    for (const char *at = line; count < TRACE_COLUMNS; at++) {
        char *end = NULL;
        double x = strtod(at, &end);
        value[count++] = end == at ? NAN : x;
        at += strcspn(at, ",\n");
        if (*at != ',')
            break;
    }
    return count;
}

static int trace_fault(const char *path, int line, const char *expected) {
    return cli_report_text(path, CAIRN_ERROR_PARSE, false, "%s:%d: no trace of cairn solve --trace: expected %s", path,
                           line, expected);
}

static int read_trace(const char *path, plot *p, char *subtitle, size_t size) {
    static const char *const name[] = {"natural map", "primal residual", "dual residual", "violation"};
    static const char head[] = "iteration,factorizations,solves,primal,dual,rho,natural_map,violation,seconds";
    FILE *file = cli_input(path, NULL);
    char line[1024];
    if (file == NULL)
        return CLI_BAD_FILE;
    int count = -1, code = CLI_GO;
    while (fgets(line, sizeof line, file) != NULL)
        count++;
    rewind(file);
    if (count < 0 || fgets(line, sizeof line, file) == NULL || strncmp(line, head, strlen(head)) != 0)
        code = trace_fault(path, 1, head);
    else if (count == 0)
        code = cli_report_text(path, CAIRN_ERROR_PARSE, false,
                               "%s: the trace holds no iteration: the solve began with its answer, as from a good "
                               "warm start",
                               path);
    else if (!make_room(p, count, 4, name))
        code = CLI_BAD_FILE;
    for (int k = 0; code == CLI_GO && k < count; k++) {
        double value[TRACE_COLUMNS];
        if (fgets(line, sizeof line, file) == NULL || split(line, value) < 9 || !isfinite(value[0]) ||
            (k > 0 && value[0] < p->x[k - 1])) {
            code = trace_fault(path, k + 2, "nine numbers, with rising iterations");
            break;
        }
        ((double *)p->x)[k] = value[0];
        const int column[] = {6, 3, 4, 7};
        for (int l = 0; l < 4; l++)
            p->line[l].y[k] = value[column[l]];
    }
    fclose(file);
    p->title = "Convergence";
    p->x_name = "iteration";
    p->y_name = "";
    p->log = true;
    p->rule = NAN;
    snprintf(subtitle, size, "%s: %d iterations", cli_basename(path), count);
    return code;
}

static int write_plot(cairn_context *context, const plot *p, const char *path) {
    cli_output out;
    int code = cli_output_open(context, path, &out);
    if (code != CLI_GO)
        return code;
    (void)plot_svg_write(p, out.stream); /* closing tells */
    code = cli_output_close(context, &out, true);
    if (code != CLI_GO)
        return code;
    printf("%s: %s, %d values\n", path, p->title, p->count);
    return CLI_OK;
}

int cmd_plot(int argc, char **argv) {
    int what = -1;
    const char *out = NULL;
    const cli_option option[] = {
        {"--what", CLI_CHOICE, &what, 0, 0, "energy|certificate|contacts|convergence",
         "what to draw; convergence is for traces of cairn solve --trace"},
        {"--out", CLI_TEXT, &out, 0, 0, "PLOT.svg", "the file (default: the first name with the ending .svg)"},
    };
    const cli_command command = {
        "plot",
        "RUN.h5|TRACE.csv",
        "Draws figures of a recording over time, or of a solve over its iterations, as SVG for papers.\n",
        "  cairn plot run.h5 --what energy -o energy.svg\n  cairn plot run.h5 --what certificate\n"
        "  cairn plot trace.csv --what convergence -o convergence.svg\n",
        1,
        1,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    char name[512], subtitle[512];
    int code = cli_parse(&command, argc, argv, &operands);
    if (code != CLI_GO)
        return code;
    size_t length = strlen(argv[1]);
    bool trace = length > 4 && strcmp(argv[1] + length - 4, ".csv") == 0;
    if (what < 0)
        what = trace ? CONVERGENCE : ENERGY;
    if (trace != (what == CONVERGENCE))
        return cli_usage("plot", trace ? "a trace holds --what convergence only"
                                       : "--what convergence needs a trace (.csv) of cairn solve --trace");
    if (out == NULL && view_default_name(argv[1], ".svg", name, sizeof name) != CLI_GO)
        return cli_usage("plot", "the name is too long; give -o PLOT.svg");
    if ((code = cli_check_target("plot", out != NULL ? out : name, argv[1])) != CLI_GO)
        return code;
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    if (cairn_output_check(context, out != NULL ? out : name) != CAIRN_OK) {
        cli_report(context, out != NULL ? out : name, CAIRN_ERROR_IO, false);
        cairn_context_destroy(context);
        return CLI_BAD_FILE;
    }
    int damaged = CLI_OK;
    plot p = {.subtitle = subtitle, .rule = NAN};
    code = trace ? read_trace(argv[1], &p, subtitle, sizeof subtitle)
                 : read_recording(context, argv[1], what, &p, subtitle, sizeof subtitle, &damaged);
    if (code == CLI_GO)
        code = write_plot(context, &p, out != NULL ? out : name);
    if (code == CLI_OK)
        code = damaged;
    give_back(&p);
    cairn_context_destroy(context);
    return code;
}
