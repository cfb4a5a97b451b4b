/*
 * cmd_compare.c: `cairn compare FILE A B`: two stored solutions of one problem, in u, v, gamma and energy.
 *
 * A solution that stores impulses is completed from them: v = H^-1 (k + D gamma), u = D'v + C gamma + b.
 */
#include "cli.h"

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
    double a, b, difference, relative; /* norms, or values of scalars */
    double largest;                    /* max norm of the difference; NAN for scalars */
} quantity;

enum { QUANTITIES = 6 };

static const double *side_u(const side *s) {
    return s->stored.u != NULL ? s->stored.u : s->u;
}

static const double *side_v(const side *s) {
    return s->stored.v != NULL ? s->stored.v : s->v;
}

static double relative(double difference, double a, double b) {
    double scale = fmax(fabs(a), fabs(b));
    return difference == 0.0 ? 0.0 : difference / scale;
}

static quantity compare_vectors(const char *key, const char *name, int count, const double *a, const double *b) {
    quantity q = {.key = key, .name = name, .known = a != NULL && b != NULL, .largest = 0.0};
    for (int i = 0; i < count && q.known; i++) {
        q.a = hypot(q.a, a[i]);
        q.b = hypot(q.b, b[i]);
        q.difference = hypot(q.difference, a[i] - b[i]);
        q.largest = fmax(q.largest, fabs(a[i] - b[i]));
    }
    q.relative = relative(q.difference, q.a, q.b);
    return q;
}

static quantity compare_scalars(const char *key, const char *name, double a, double b) {
    quantity q = {.key = key, .name = name, .known = !isnan(a) && !isnan(b), .a = a, .b = b, .largest = NAN};
    q.difference = fabs(a - b);
    q.relative = relative(q.difference, a, b);
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

static void make_quantities(const cairn_problem_view *view, const side *a, const side *b, quantity q[QUANTITIES]) {
    const double *va = side_v(a), *vb = side_v(b);
    q[0] = compare_vectors("u", "u (m/s)", view->m, side_u(a), side_u(b));
    q[1] = compare_vectors("v", "v (m/s)", view->n, view->local ? NULL : va, view->local ? NULL : vb);
    q[2] = compare_vectors("gamma", "gamma (N s)", view->m, a->stored.r, b->stored.r);
    q[3] = compare_scalars("kinetic_energy", "v'Hv/2 (J)", kinetic_energy(view, va, NULL),
                           kinetic_energy(view, vb, NULL));
    q[4] = compare_scalars("work", "u'gamma (J)", work(view->m, a), work(view->m, b));
    /* the energy of the difference, beside that of both */
    q[5] = q[3];
    q[5].key = "energy_of_difference";
    q[5].name = "energy of vA - vB (J)";
    q[5].known = q[5].known && va != NULL && vb != NULL;
    q[5].difference = q[5].known ? kinetic_energy(view, va, vb) : NAN;
    q[5].relative = relative(q[5].difference, q[5].a, q[5].b);
}

static void print_text(const side *a, const side *b, const quantity *q) {
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
    printf("\nNorms are Euclidean; relative: over the larger of both. gamma need not be unique: when contacts are\n"
           "redundant, different impulses give the same velocities. Compare answers by u and by energy.\n");
}

static void print_json(const char *problem, const side *a, const side *b, const quantity *q) {
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
    return status == CAIRN_OK ? CLI_GO : cli_report(context, problem, status, json);
}

static void clear_side(cairn_context *context, side *s) {
    cairn_vectors_clear(context, &s->stored);
    free(s->u);
    free(s->v);
}

static int compare(cairn_context *context, char **argv, int law, int directions, bool json) {
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
        make_quantities(&view, &a, &b, q);
        if (json)
            print_json(argv[1], &a, &b, q);
        else
            print_text(&a, &b, q);
        code = CLI_OK;
    }
    clear_side(context, &a);
    clear_side(context, &b);
    cairn_file_clear(&file);
    return code;
}

int cmd_compare(int argc, char **argv) {
    bool json = false;
    int law = 0, directions = 0;
    const char *cone = NULL;
    const cli_option option[] = {
        {"--law", CLI_CHOICE, &law, 0, 0, "coulomb|associated", "friction law of the certificates (default coulomb)"},
        {"--cone", CLI_TEXT, &cone, 0, 0, "round|poly:N", CLI_CONE_HELP},
        {"--json", CLI_FLAG, &json, 0, 0, NULL, "one JSON object on standard output, nothing else"},
    };
    const cli_command command = {
        "compare",
        "FILE A B",
        "Compares the solutions stored in A and B (FCLIB; either may be FILE itself) of the problem in FILE: in u, v,\n"
        "gamma and energy. gamma need not be unique; u is what two solvers can be held to.\n",
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
    code = compare(context, argv, law, directions, json);
    cairn_context_destroy(context);
    return code;
}
