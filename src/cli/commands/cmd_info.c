/*
 * cmd_info.c: `cairn info FILE`: sizes, masses, rank, conditioning, what is stored and what to
 * expect of a solve.
 */
#include "cli/cli.h"

#include <math.h>

static const char *stored(const cairn_vectors *v, char text[16]) {
    snprintf(text, 16, "%s%s%s", v->v != NULL ? " v" : "", v->u != NULL ? " u" : "", v->r != NULL ? " r" : "");
    return text[0] != '\0' ? text + 1 : "nothing";
}

static const char *matrix_kind(const cairn_problem_view *view, const cairn_analysis *a) {
    return a->diagonal ? "diagonal" : view->block_diagonal ? "block diagonal" : "sparse";
}

static double condition(double least, double largest) {
    return least > 0.0 ? largest / least : NAN;
}

/* ---- text ---- */

static void print_sizes(const cairn_file *file, const cairn_problem_view *view, const cairn_analysis *a) {
    printf("  form           %s\n", view->local ? "local (N given, no bodies)" : "global (H, D)");
    printf("  sizes          n = %d velocities, m = %d rows, %d blocks\n", view->n, view->m, view->blocks);
    printf("  contacts       %d in %d dimensions, %d equality rows\n", file->contacts, file->spacedim,
           file->equalities);
    printf("  sets          ");
    for (int set = 0; set <= CAIRN_SET_CUSTOM; set++)
        if (a->set_count[set] > 0)
            printf(" %d %s", a->set_count[set], cairn_set_name((cairn_set_kind)set));
    printf("\n");
    if (!isnan(a->mu_min))
        printf("  friction       mu from %g to %g\n", a->mu_min, a->mu_max);
    if (!view->local)
        printf("  bodies         %d blocks of %d to %d rows (%s)\n", view->bodies, a->body_dim_min, a->body_dim_max,
               view->bodies_found ? "found from the pattern" : "stated");
}

static void print_matrices(const cairn_problem_view *view, const cairn_analysis *a) {
    const char *name = view->local ? "N" : "H";
    printf("  %s              %s, %lld entries, ", name, matrix_kind(view, a), (long long)a->H_entries);
    if (view->unsymmetric)
        printf("unsymmetric by %.1e\n", a->unsymmetry);
    else
        printf("symmetric\n");
    if (!view->local) {
        printf("  mass ratio     %.3g (mean diagonal of H per body: %.3g to %.3g)\n", a->mass_max / a->mass_min,
               a->mass_min, a->mass_max);
        printf("  condition of H %s%.3g (eigenvalues %.3g to %.3g)\n", a->H_estimated ? "about " : "",
               condition(a->H_min, a->H_max), a->H_min, a->H_max);
    }
    if (a->rank >= 0)
        printf("  rank           %d of %d rows: %d redundant\n", a->rank, view->m, view->m - a->rank);
    else
        printf("  rank           not computed (too large)\n");
    if (!isnan(a->N_min))
        printf("  condition of N %.3g on its range (eigenvalues %.3g to %.3g)\n", condition(a->N_min, a->N_max),
               a->N_min, a->N_max);
    else
        printf("  condition of N not computed (too large); largest eigenvalue %s%.3g\n", a->N_estimated ? "about " : "",
               a->N_max);
    if (!view->local && view->n > 0)
        printf("  hyperstaticity %.3g rows a velocity (m / n)\n", (double)view->m / view->n);
    if (a->C_max > 0.0)
        printf("  compliance     up to %.3g\n", a->C_max);
}

/* ---- what to expect: sentences, in both outputs ---- */

enum { SENTENCE = 200, SENTENCES = 8 };
typedef struct advice {
    char text[SENTENCES][SENTENCE];
    int count;
} advice;

static void expect_answer(const cairn_problem_view *view, const cairn_analysis *a, advice *out) {
    if (a->rank >= 0 && a->rank < view->m)
        snprintf(out->text[out->count++], SENTENCE,
                 "Impulses are not unique: rank %d < %d rows. Compare answers by u, not by gamma.", a->rank, view->m);
    else if (a->rank >= 0)
        snprintf(out->text[out->count++], SENTENCE, "Full rank: for the associated law the impulses are unique.");
    double cond = condition(a->N_min, a->N_max);
    if (cond > 1e8)
        snprintf(out->text[out->count++], SENTENCE,
                 "N is badly conditioned (%.1e): first-order methods will be slow and the last digits hard.", cond);
    if (!view->local && a->mass_max / a->mass_min > 1e3)
        snprintf(out->text[out->count++], SENTENCE,
                 "Heavy and light parts meet (mass ratio %.1e): use a preconditioned method.",
                 a->mass_max / a->mass_min);
    if (view->unsymmetric)
        snprintf(out->text[out->count++], SENTENCE,
                 "%s is not symmetric (%.1e relative): methods made for symmetric matrices may miss the last digits.",
                 view->local ? "N" : "H", a->unsymmetry);
    if (view->local)
        snprintf(out->text[out->count++], SENTENCE,
                 "Local form: there is no v; the certificate judges the impulses alone.");
}

static void expect_pointed(const cairn_pointed *pointed, advice *out) {
    if (pointed->verdict == CAIRN_NOT_POINTED)
        snprintf(out->text[out->count++], SENTENCE,
                 "Friction cones are not pointed: %d contacts can push each other without end; impulses have no bound.",
                 pointed->jammed);
    else if (pointed->verdict == CAIRN_POINTED)
        snprintf(out->text[out->count++], SENTENCE,
                 "Friction cones are pointed: one motion parts all contacts, so impulses have a bound.");
}

static void expect_start(const cairn_file *file, advice *out) {
    bool guess = file->guesses > 0 && file->guess[0].r != NULL;
    snprintf(out->text[out->count++], SENTENCE,
             guess ? "A warm start is stored: use --warm-start guess." : "No warm start is stored.");
    if (file->solution.r != NULL)
        snprintf(out->text[out->count++], SENTENCE, "Solution impulses are stored: cairn check judges them.");
    else
        snprintf(out->text[out->count++], SENTENCE,
                 "No solution impulses are stored (solution/r absent or never written).");
}

static void print_text(const char *path, const cairn_file *file, const cairn_analysis *a, const advice *expected) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    char text[16];
    printf("%s%s%s\n", cli_bold(), path, cli_plain());
    if (file->title != NULL && file->title[0] != '\0')
        printf("  title          %s\n", file->title);
    print_sizes(file, &view, a);
    print_matrices(&view, a);
    printf("  stored         solution: %s; guesses: %d", stored(&file->solution, text), file->guesses);
    if (file->guesses > 0)
        printf(", the first with %s", stored(&file->guess[0], text));
    printf("\n");
    printf("  what to expect\n");
    for (int i = 0; i < expected->count; i++)
        printf("    - %s\n", expected->text[i]);
}

/* ---- JSON ---- */

static void json_stored(cli_json *json, const char *key, const cairn_vectors *v) {
    cli_json_open(json, key, '{');
    cli_json_bool(json, "v", v->v != NULL);
    cli_json_bool(json, "u", v->u != NULL);
    cli_json_bool(json, "r", v->r != NULL);
    cli_json_close(json, '}');
}

static void json_matrices(cli_json *json, const cairn_problem_view *view, const cairn_analysis *a) {
    cli_json_text(json, "matrix", matrix_kind(view, a));
    cli_json_bool(json, "symmetric", !view->unsymmetric);
    cli_json_real(json, "unsymmetry", a->unsymmetry);
    cli_json_int(json, "entries", a->H_entries);
    cli_json_int(json, "entries_D", a->D_entries);
    cli_json_real(json, "mass_min", a->mass_min);
    cli_json_real(json, "mass_max", a->mass_max);
    cli_json_real(json, "mass_ratio", a->mass_max / a->mass_min);
    cli_json_real(json, "H_min", a->H_min);
    cli_json_real(json, "H_max", a->H_max);
    cli_json_real(json, "condition_H", condition(a->H_min, a->H_max));
    cli_json_bool(json, "H_estimated", a->H_estimated);
    cli_json_real(json, "rank", a->rank >= 0 ? (double)a->rank : (double)NAN);
    cli_json_real(json, "redundancy", a->rank >= 0 ? (double)(view->m - a->rank) : (double)NAN);
    cli_json_real(json, "N_min", a->N_min);
    cli_json_real(json, "N_max", a->N_max);
    cli_json_real(json, "condition_N", condition(a->N_min, a->N_max));
    cli_json_bool(json, "N_estimated", a->N_estimated);
    cli_json_real(json, "hyperstaticity", view->n > 0 ? (double)view->m / view->n : NAN);
    cli_json_real(json, "compliance_max", a->C_max);
}

static void json_pointed(cli_json *json, const cairn_pointed *pointed) {
    static const char *const word[] = {"unknown", "yes", "no"};
    cli_json_text(json, "pointed", word[pointed->verdict]);
    cli_json_int(json, "jammed", pointed->jammed);
}

static void print_json(const char *path, const cairn_file *file, const cairn_analysis *a, const cairn_pointed *pointed,
                       const advice *expected) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    cli_json json = {.out = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", path);
    cli_json_text(&json, "title", file->title);
    cli_json_text(&json, "form", view.local ? "local" : "global");
    cli_json_sizes(&json, file);
    cli_json_int(&json, "dimension", file->spacedim);
    cli_json_int(&json, "equalities", file->equalities);
    cli_json_open(&json, "sets", '{');
    for (int set = 0; set <= CAIRN_SET_CUSTOM; set++)
        if (a->set_count[set] > 0)
            cli_json_int(&json, cairn_set_name((cairn_set_kind)set), a->set_count[set]);
    cli_json_close(&json, '}');
    cli_json_real(&json, "mu_min", a->mu_min);
    cli_json_real(&json, "mu_max", a->mu_max);
    cli_json_int(&json, "bodies", view.bodies);
    cli_json_bool(&json, "bodies_found", view.bodies_found);
    cli_json_int(&json, "body_dim_min", a->body_dim_min);
    cli_json_int(&json, "body_dim_max", a->body_dim_max);
    json_matrices(&json, &view, a);
    json_pointed(&json, pointed);
    json_stored(&json, "solution", &file->solution);
    cli_json_int(&json, "guesses", file->guesses);
    if (file->guesses > 0)
        json_stored(&json, "guess", &file->guess[0]);
    cli_json_text(&json, "note", file->note);
    cli_json_open(&json, "expect", '[');
    for (int i = 0; i < expected->count; i++)
        cli_json_text(&json, NULL, expected->text[i]);
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    cli_json_end(&json);
}

static int describe(cairn_context *context, const char *path, bool json) {
    cairn_file file;
    cairn_analysis analysis;
    int code = cli_file_read(context, path, json, &file);
    if (code != CLI_GO)
        return code;
    code = CLI_OK;
    cairn_pointed pointed = {0};
    cairn_status status = cairn_problem_analyze(file.problem, &analysis);
    if (status == CAIRN_OK)
        status = cairn_problem_pointed(file.problem, NULL, &pointed);
    if (status != CAIRN_OK) {
        code = cli_report(context, path, status, json);
    } else {
        cairn_problem_view view = cairn_problem_get(file.problem);
        advice expected = {.count = 0};
        expect_answer(&view, &analysis, &expected);
        expect_pointed(&pointed, &expected);
        expect_start(&file, &expected);
        if (json)
            print_json(path, &file, &analysis, &pointed, &expected);
        else
            print_text(path, &file, &analysis, &expected);
    }
    cairn_file_clear(&file);
    return code;
}

int cmd_info(int argc, char **argv) {
    bool json = false;
    const cli_option option[] = {
        {"--json", CLI_FLAG, &json, 0, 0, NULL, "one JSON object a file on standard output, nothing else"},
    };
    const cli_command command = {
        "info",
        "FILE...",
        "Describes problems: sizes, sets, bodies, mass ratio, rank and redundancy, conditioning of H and N, what is\n"
        "stored beside the problem, and what to expect of a solve. Takes seconds for thousands of rows.\n",
        "  cairn info problem.hdf5\n  cairn info problem.hdf5 --json\n",
        1,
        -1,
        option,
        sizeof option / sizeof option[0],
    };
    int files = 0;
    int worst = cli_parse(&command, argc, argv, &files);
    if (worst != CLI_GO)
        return worst;
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    worst = CLI_OK;
    for (int i = 1; i <= files; i++) {
        int code = describe(context, argv[i], json);
        worst = code > worst ? code : worst;
    }
    cairn_context_destroy(context);
    return worst;
}
