/*
 * cmd_check.c: `cairn check FILE [SOLUTION]`: the certificate of a stored solution.
 */
#include "cli/cli.h"

typedef struct request {
    const char *problem, *solution, *cone;
    int law, directions;
    double tolerance;
    bool json;
} request;

static void print_line(const char *name, double value, const char *unit, const char *meaning) {
    char text[16];
    printf("  %-18s %10s %-4s %s\n", name, cli_short(value, text), unit, meaning);
}

static void print_numbers(const char *name, int count, const double *x) {
    printf("    %-37s", name);
    for (int i = 0; i < count; i++)
        printf(" %14.7g", x[i] == 0.0 ? 0.0 : x[i]);
    printf("\n");
}

/* The block that is nearest to its limit, or farthest beyond it, with all that one needs to redo
 * its figure by hand. */
static void print_worst(const cairn_problem_view *view, const cairn_certificate *c) {
    int i = c->worst_block;
    if (i < 0)
        return;
    const cairn_block *block = &view->block[i];
    int count = block->dim < 3 ? block->dim : 3, first = view->block_start[i];
    double motion[3] = {0};
    for (int r = 0; r < count; r++)
        motion[r] = c->worst_u[r] - c->worst_shift[r];
    printf("  worst: block %d, %s", i, cairn_set_name(block->set));
    if (block->set == CAIRN_SET_CONE || block->set == CAIRN_SET_POLY_CONE)
        printf(" with friction %g", block->mu);
    printf(", rows %d to %d%s\n", first, first + block->dim - 1, count < block->dim ? "; the first three:" : "");
    print_numbers("impulse on the graph of its law, N s", count, c->worst_gamma);
    print_numbers("velocity on the graph, m/s", count, c->worst_u);
    print_numbers("velocity that the impulses give, m/s", count, motion);
    print_numbers("difference: the shift of b", count, c->worst_shift);
}

static void print_text(const request *r, const cairn_file *file, const cairn_certificate *c, bool v_stored) {
    const char *colour = c->certified ? cli_green() : cli_red();
    char cone[16];
    printf("%s: %s%s%s at %g (%s law, %s cone)\n", cli_basename(r->solution), colour,
           c->certified ? "certified" : "not certified", *colour ? cli_plain() : "", c->tolerance,
           cairn_law_name(c->law), cli_cone_name(c->directions, cone));
    char error[16], scale[16], relative[16];
    printf("  exact for free velocities within %s", cli_speed(c->error, error));
    if (c->error_angular > 0.0)
        printf(" and %s rad/s", cli_short(c->error_angular, relative));
    printf("; the largest free velocity is %s\n", cli_speed(c->scale, scale));
    print_line("relative", c->relative, "", "of the largest free velocity: this decides");
    print_line("rms", c->rms, "m/s", "root of the mean square over all blocks");
    print_line("rounding", c->rounding, "m/s", "the part of the worst block's figure that bounds rounding");
    if (!file->local && v_stored)
        print_line("motion", c->motion, "m/s", "distance of the stored v from the v that the impulses give");
    print_line("plain", c->plain, "", "the formula of other programs; it does not decide");
    print_line("natural map", c->natural_map, "", "the first edition of the certificate; it does not decide");
    if (c->directions > 0)
        print_line("natural map round", c->natural_map_round, "", "the same with round cones");
    cairn_problem_view view = cairn_problem_get(file->problem);
    print_worst(&view, c);
}

static void print_json(const request *r, const cairn_file *file, const cairn_certificate *c) {
    cli_json json = {.out = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", r->problem);
    cli_json_text(&json, "solution", r->solution);
    cli_json_law(&json, c);
    cli_json_certificate(&json, c);
    cli_json_sizes(&json, file);
    cli_json_close(&json, '}');
    cli_json_end(&json);
}

static int check_file(const request *r, cairn_context *context, const cairn_file *file) {
    cairn_vectors vectors;
    cairn_certificate certificate;
    int code = cli_solution_read(context, r->solution, r->problem, file, true, r->json, &vectors);
    if (code != CLI_GO)
        return code;
    cairn_status status = cli_set_law_and_cone(file->problem, r->law, r->directions);
    if (status == CAIRN_OK)
        status = cairn_certify(file->problem, vectors.v, vectors.r, r->tolerance, &certificate, NULL, NULL);
    if (status != CAIRN_OK) {
        code = cli_report(context, r->problem, status, r->json);
    } else {
        if (r->json)
            print_json(r, file, &certificate);
        else
            print_text(r, file, &certificate, vectors.v != NULL);
        code = certificate.certified ? CLI_OK : CLI_UNSOLVED;
    }
    cairn_vectors_clear(context, &vectors);
    return code;
}

int cmd_check(int argc, char **argv) {
    request r = {.tolerance = 1e-8};
    const cli_option option[] = {
        {"--law", CLI_CHOICE, &r.law, 0, 0, "coulomb|associated", "friction law (default coulomb)"},
        {"--cone", CLI_TEXT, &r.cone, 0, 0, "round|poly:N", CLI_CONE_HELP},
        {"--tol", CLI_REAL, &r.tolerance, 1e-16, 1, "X",
         "tolerance, relative to the largest free velocity (default 1e-8)"},
        {"--json", CLI_FLAG, &r.json, 0, 0, NULL, "one JSON object on standard output, nothing else"},
    };
    const cli_command command = {
        "check",
        "FILE [SOLUTION]",
        "Certifies the solution stored in FILE itself or in SOLUTION: says for which free velocities its impulses are "
        "an\n"
        "exact answer, and how far these are from those of the problem. The judge shares no code with the solvers.\n"
        "Exit code 0: certified, 1: not certified.\n",
        "  cairn check solved.hdf5\n  cairn check problem.hdf5 solved.hdf5 --tol 1e-6\n",
        1,
        2,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    int code = cli_parse(&command, argc, argv, &operands);
    if (code == CLI_GO)
        code = cli_parse_cone("check", r.cone, &r.directions);
    if (code != CLI_GO)
        return code;
    r.problem = argv[1];
    r.solution = operands == 2 ? argv[2] : argv[1];
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    cairn_file file;
    code = cli_file_read(context, r.problem, r.json, &file);
    if (code == CLI_GO) {
        code = check_file(&r, context, &file);
        cairn_file_clear(&file);
    }
    cairn_context_destroy(context);
    return code;
}
