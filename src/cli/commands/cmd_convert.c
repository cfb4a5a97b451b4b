/*
 * cmd_convert.c: `cairn convert IN OUT`: a problem in another form or file format. OUT is FCLIB, or
 * Cairn's own form where FCLIB cannot hold the problem.
 */
#include "cli/cli.h"

enum { TO_SAME = -1, TO_GLOBAL = 0, TO_LOCAL = 1 };

/* Puts the local form in place of the global one: v is lost, u and r stay. */
static cairn_status make_local(cairn_context *context, cairn_file *file) {
    cairn_problem *local = NULL;
    cairn_status status = cairn_problem_to_local(file->problem, &local);
    if (status != CAIRN_OK)
        return status;
    cairn_problem_destroy(file->problem);
    file->problem = local;
    file->local = true;
    cairn_vectors only_v = {.v = file->solution.v};
    cairn_vectors_clear(context, &only_v);
    file->solution.v = NULL;
    for (int i = 0; i < file->guesses; i++) {
        only_v.v = file->guess[i].v;
        cairn_vectors_clear(context, &only_v);
        file->guess[i].v = NULL;
    }
    return CAIRN_OK;
}

static int convert(cairn_context *context, const char *in, const char *out, int to, cairn_file *file) {
    if (file->local && to == TO_GLOBAL)
        return cli_report_text(in, CAIRN_ERROR_UNSUPPORTED, false,
                               "%s is in the local form and cannot be made global: N = D'H^-1 D has forgotten H and D",
                               in);
    cairn_status status = CAIRN_OK;
    if (!file->local && to == TO_LOCAL)
        status = make_local(context, file);
    if (status != CAIRN_OK)
        return cli_report(context, in, status, false);
    status = cairn_file_write(context, out, file);
    if (status != CAIRN_OK)
        return cli_report(context, out, status, false);
    cairn_problem_view view = cairn_problem_get(file->problem);
    printf("%s: %s form, %d contacts, n = %d, m = %d%s\n", out, file->local ? "local" : "global", file->contacts,
           view.n, view.m, cairn_file_fits_fclib(file->problem) ? "" : "; in Cairn's own form, not FCLIB");
    return CLI_OK;
}

int cmd_convert(int argc, char **argv) {
    int to = TO_SAME;
    const cli_option option[] = {
        {"--to", CLI_CHOICE, &to, 0, 0, "global|local", "form of OUT (default: that of IN)"},
    };
    const cli_command command = {
        "convert",
        "IN OUT",
        "Reads IN (FCLIB or Siconos text) and writes OUT as FCLIB, or in Cairn's own form\n"
        "where FCLIB cannot hold the problem. --to local forms N = D'H^-1 D + C and\n"
        "q = D'H^-1 k + b. There is no way from local to global: N does not tell H and D (exit code 1).\n",
        "  cairn convert problem.hdf5 local.hdf5 --to local\n  cairn convert problem.dat problem.hdf5\n",
        2,
        2,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    int code = cli_parse(&command, argc, argv, &operands);
    if (code != CLI_GO)
        return code;
    if ((code = cli_check_target("convert", argv[2], argv[1])) != CLI_GO)
        return code;
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    cairn_file file;
    code = cli_file_read(context, argv[1], false, &file);
    if (code == CLI_GO) {
        code = convert(context, argv[1], argv[2], to, &file);
        cairn_file_clear(&file);
    }
    cairn_context_destroy(context);
    return code;
}
