/*
 * cmd_compare.c: `cairn compare FILE A B`: two stored solutions of one problem, in u, v, gamma and
 * energy.
 *
 * A solution that stores impulses is completed from them: v = H^-1 (k + D gamma), u = D'v + C gamma
 * + b. FCLIB stores no u of equality rows; they are taken from there too.
 *
 * The verdict is about u, which is unique where H and the gaps determine it: two answers agree when
 * no entry differs by more than a share of the largest free velocity, or than ten times what their
 * own certificates leave open. Velocities of a heap at rest are such errors, so their relative
 * difference says nothing.
 */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

/* One of the two solutions. Arrays that are not known are NULL. */
typedef struct side {
    const char *path;
    cairn_vectors stored;
    double *u, *v; /* computed from r, when r is stored */
    bool certified;
    cairn_certificate certificate;
} side;

/* One compared quantity. */
typedef struct quantity {
    const char *key, *name;
    bool known;
    double a, b, difference,
        relative;   /* norms, or values of scalars; relative to the larger one, of velocities to at least the scale */
    double largest; /* max norm of the difference; NAN for scalars */
} quantity;

enum { QUANTITIES = 6 };
#define ERRORS 10.0 /* times the certificates' errors that count as the same answer */

typedef struct verdict {
    bool known, agree;
    double largest, allowed, scale; /* m/s: largest difference of u, the limit for it, the largest free velocity */
} verdict;

static const double *side_u(const side *s) {
    return s->stored.u != NULL ? s->stored.u : s->u;
}

static const double *side_v(const side *s) {
    return s->stored.v != NULL ? s->stored.v : s->v;
}

static double relative(double difference, double a, double b, double least) {
    double scale = fmax(least, fmax(fabs(a), fabs(b)));
    return difference == 0.0 ? 0.0 : difference / scale;
}

/* least: what relative counts from, at least. */
static quantity compare_vectors(const char *key, const char *name, int count, const double *a, const double *b,
                                double least) {
    quantity q = {.key = key, .name = name, .known = a != NULL && b != NULL, .largest = 0.0};
    for (int i = 0; i < count && q.known; i++) {
        q.a = hypot(q.a, a[i]);
        q.b = hypot(q.b, b[i]);
        q.difference = hypot(q.difference, a[i] - b[i]);
        q.largest = fmax(q.largest, fabs(a[i] - b[i]));
    }
    q.relative = relative(q.difference, q.a, q.b, least);
    return q;
}

static quantity compare_scalars(const char *key, const char *name, double a, double b) {
    quantity q = {.key = key, .name = name, .known = !isnan(a) && !isnan(b), .a = a, .b = b, .largest = NAN};
    q.difference = fabs(a - b);
    q.relative = relative(q.difference, a, b, 0.0);
    return q;
}

/* x'Hx / 2 for x = a - b (b NULL: a); NAN when a is NULL or there is no v. */
static double kinetic_energy(const cairn_problem_view *view, const double *a, const double *b) {
    if (a == NULL || view->local)
        return NAN;
    double sum = 0.0;
    for (int j = 0; j < view->n; j++)
        for (int e = view->H_start[j]; e < view->H_start[j + 1]; e++) {
            int i = view->H_index[e];
            sum += (a[i] - (b != NULL ? b[i] : 0.0)) * view->H_value[e] * (a[j] - (b != NULL ? b[j] : 0.0));
        }
    return 0.5 * sum;
}

/* u'gamma; NAN when one is not known. */
static double work(int m, const side *s) {
    const double *u = side_u(s), *r = s->stored.r;
    if (u == NULL || r == NULL)
        return NAN;
    double sum = 0.0;
    for (int i = 0; i < m; i++)
        sum += u[i] * r[i];
    return sum;
}

/* The largest free velocity, as the certificates say; 0: neither is known. */
static double scale_of(const side *a, const side *b) {
    return fmax(a->certified ? a->certificate.scale : 0.0, b->certified ? b->certificate.scale : 0.0);
}

static verdict judge(const side *a, const side *b, const quantity *u, double tolerance) {
    verdict v = {.known = u->known && (a->certified || b->certified), .largest = u->largest, .scale = scale_of(a, b)};
    double error = (a->certified ? a->certificate.error : 0.0) + (b->certified ? b->certificate.error : 0.0);
    v.allowed = fmax(tolerance * v.scale, ERRORS * error);
    v.agree = v.largest <= v.allowed;
    return v;
}

/* rows: of u that both know. */
static void make_quantities(const cairn_problem_view *view, int rows, const side *a, const side *b,
                            quantity q[QUANTITIES]) {
    const double *va = side_v(a), *vb = side_v(b), scale = scale_of(a, b);
    q[0] = compare_vectors("u", "u (m/s)", rows, side_u(a), side_u(b), scale);
    q[1] = compare_vectors("v", "v (m/s)", view->n, view->local ? NULL : va, view->local ? NULL : vb, scale);
    q[2] = compare_vectors("gamma", "gamma (N s)", view->m, a->stored.r, b->stored.r, 0.0);
    q[3] = compare_scalars("kinetic_energy", "v'Hv/2 (J)", kinetic_energy(view, va, NULL),
                           kinetic_energy(view, vb, NULL));
    q[4] = compare_scalars("work", "u'gamma (J)", work(view->m, a), work(view->m, b));
    /* the energy of the difference, beside that of both */
    q[5] = q[3];
    q[5].key = "energy_of_difference";
    q[5].name = "energy of vA - vB (J)";
    q[5].known = q[5].known && va != NULL && vb != NULL;
    q[5].difference = q[5].known ? kinetic_energy(view, va, vb) : NAN;
    q[5].relative = relative(q[5].difference, q[5].a, q[5].b, 0.0);
}

static void print_verdict(const verdict *v) {
    char largest[16], allowed[16], scale[16];
    if (!v->known) {
        printf("\nNo verdict: neither solution stores impulses, from which it could be judged.\n");
        return;
    }
    printf("\n%s%s%s: u differs by at most %s; %s counts as the same, the largest free velocity being %s.\n",
           v->agree ? cli_green() : cli_red(), v->agree ? "The same answer" : "Different answers", cli_plain(),
           cli_speed(v->largest, largest), cli_speed(v->allowed, allowed), cli_speed(v->scale, scale));
}

static void print_text(const side *a, const side *b, const quantity *q, int left_out) {
    const cli_column column[] = {{"", -22}, {"A", 10}, {"B", 10}, {"|A - B|", 10}, {"relative", 10}, {"largest", 10}};
    printf("A = %s\nB = %s\n\n", a->path, b->path);
    cli_table_head(column, 6);
    for (int i = 0; i < QUANTITIES; i++) {
        char text[5][16];
        const char *cell[6] = {q[i].name, "not stored", "", "", "", ""};
        if (q[i].known) {
            cell[1] = cli_short(q[i].a, text[0]);
            cell[2] = cli_short(q[i].b, text[1]);
            cell[3] = cli_short(q[i].difference, text[2]);
            cell[4] = cli_short(q[i].relative, text[3]);
            cell[5] = cli_short(q[i].largest, text[4]);
        }
        cli_table_row(column, 6, cell, -1, "");
    }
    char text[2][16];
    const char *cell[6] = {"relative error",
                           a->certified ? cli_short(a->certificate.relative, text[0]) : "-",
                           b->certified ? cli_short(b->certificate.relative, text[1]) : "-",
                           "",
                           "",
                           ""};
    cli_table_row(column, 6, cell, -1, "");
    if (left_out > 0)
        printf("\nu is that of contacts alone: a solution that stores no impulses has none of its %d rows of joints.\n",
               left_out);
    printf("\nNorms are Euclidean; relative: over the larger of both, velocities over at least the largest free one.\n"
           "gamma "
           "need not be unique: when contacts are redundant, different impulses give the same velocities.\n");
}

static void print_json(const char *problem, const side *a, const side *b, const quantity *q, const verdict *v) {
    cli_json json = {.out = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", problem);
    cli_json_text(&json, "a", a->path);
    cli_json_text(&json, "b", b->path);
    for (int i = 0; i < QUANTITIES; i++) {
        cli_json_open(&json, q[i].key, '{');
        cli_json_real(&json, "a", q[i].known ? q[i].a : NAN);
        cli_json_real(&json, "b", q[i].known ? q[i].b : NAN);
        cli_json_real(&json, "difference", q[i].known ? q[i].difference : NAN);
        cli_json_real(&json, "relative", q[i].known ? q[i].relative : NAN);
        cli_json_real(&json, "largest", q[i].known ? q[i].largest : NAN);
        cli_json_close(&json, '}');
    }
    cli_json_open(&json, "relative_error", '{');
    cli_json_real(&json, "a", a->certified ? a->certificate.relative : NAN);
    cli_json_real(&json, "b", b->certified ? b->certificate.relative : NAN);
    cli_json_close(&json, '}');
    cli_json_bool(&json, "gamma_unique", false);
    cli_json_open(&json, "verdict", '{');
    cli_json_text(&json, "answer", !v->known ? NULL : v->agree ? "same" : "different");
    cli_json_real(&json, "largest", v->known ? v->largest : NAN);
    cli_json_real(&json, "allowed", v->known ? v->allowed : NAN);
    cli_json_real(&json, "scale", v->known ? v->scale : NAN);
    cli_json_close(&json, '}');
    cli_json_close(&json, '}');
    cli_json_end(&json);
}

/* Reads one side and completes it from its impulses. */
static int load_side(cairn_context *context, const char *problem, const cairn_file *file, bool json, side *s) {
    int code = cli_solution_read(context, s->path, problem, file, false, json, &s->stored);
    if (code != CLI_GO || s->stored.r == NULL)
        return code;
    cairn_problem_view view = cairn_problem_get(file->problem);
    s->u = calloc((size_t)view.m + 1, sizeof *s->u);
    s->v = calloc((size_t)view.n + 1, sizeof *s->v);
    if (s->u == NULL || s->v == NULL)
        return cli_report_text(problem, CAIRN_ERROR_MEMORY, json, "%s: out of memory", problem);
    cairn_status status = cairn_certify(file->problem, s->stored.v, s->stored.r, 1e-8, &s->certificate, s->u,
                                        view.local ? NULL : s->v);
    s->certified = status == CAIRN_OK;
    for (int j = view.m - file->equalities; j < view.m && s->certified && s->stored.u != NULL; j++)
        s->stored.u[j] = s->u[j];
    return status == CAIRN_OK ? CLI_GO : cli_report(context, problem, status, json);
}

static void clear_side(cairn_context *context, side *s) {
    cairn_vectors_clear(context, &s->stored);
    free(s->u);
    free(s->v);
}

static int compare(cairn_context *context, char **argv, int law, int directions, double tolerance, bool json) {
    cairn_file file;
    int code = cli_file_read(context, argv[1], json, &file);
    if (code != CLI_GO)
        return code;
    side a = {.path = argv[2]}, b = {.path = argv[3]};
    cairn_status status = cli_set_law_and_cone(file.problem, law, directions);
    code = status == CAIRN_OK ? CLI_GO : cli_report(context, argv[1], status, json);
    if (code == CLI_GO)
        code = load_side(context, argv[1], &file, json, &a);
    if (code == CLI_GO)
        code = load_side(context, argv[1], &file, json, &b);
    if (code == CLI_GO) {
        quantity q[QUANTITIES];
        cairn_problem_view view = cairn_problem_get(file.problem);
        int left_out = a.certified && b.certified ? 0 : file.equalities;
        make_quantities(&view, view.m - left_out, &a, &b, q);
        verdict v = judge(&a, &b, &q[0], tolerance);
        if (json)
            print_json(argv[1], &a, &b, q, &v);
        else
            print_text(&a, &b, q, left_out);
        if (!json)
            print_verdict(&v);
        code = v.known && !v.agree ? CLI_UNSOLVED : CLI_OK;
    }
    clear_side(context, &a);
    clear_side(context, &b);
    cairn_file_clear(&file);
    return code;
}

int cmd_compare(int argc, char **argv) {
    bool json = false;
    int law = 0, directions = 0;
    double tolerance = 1e-6;
    const char *cone = NULL;
    const cli_option option[] = {
        {"--tol", CLI_REAL, &tolerance, 0, CLI_TOLERANCE_MOST, "X",
         "difference of u that counts as none, relative to the largest free velocity (default 1e-6)"},
        {"--law", CLI_CHOICE, &law, 0, 0, "coulomb|associated", "friction law of the certificates (default coulomb)"},
        {"--cone", CLI_TEXT, &cone, 0, 0, "round|poly:N", CLI_CONE_HELP},
        {"--json", CLI_FLAG, &json, 0, 0, NULL, "one JSON object on standard output, nothing else"},
    };
    const cli_command command = {
        "compare",
        "FILE A B",
        "Compares the solutions stored in A and B (FCLIB; either may be FILE itself) of the problem in FILE: in u, v,\n"
        "gamma and energy. gamma need not be unique; u is what two solvers can be held to. Exit code 1: they differ by "
        "more than\n"
        "--tol, and by more than ten times what their certificates leave open.\n",
        "  cairn compare problem.hdf5 first.hdf5 second.hdf5\n",
        3,
        3,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    int code = cli_parse(&command, argc, argv, &operands);
    if (code == CLI_GO)
        code = cli_parse_cone("compare", cone, &directions);
    if (code != CLI_GO)
        return code;
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    code = compare(context, argv, law, directions, tolerance, json);
    cairn_context_destroy(context);
    return code;
}
