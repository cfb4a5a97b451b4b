/*
 * main.c: the program `cairn`: finds the command and calls it. One command is one file cmd_<name>.c
 * and one row below.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct row {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} row;

static const row commands[] = {
    {"demo", cmd_demo, "solve a generated problem with several methods"},
    {"run", cmd_run, "simulate a scene: every step certified"},
    {"scenes", cmd_scenes, "list the scenes that ship"},
    {"solve", cmd_solve, "solve problems and certify the answers"},
    {"check", cmd_check, "certify a stored solution"},
    {"compare", cmd_compare, "compare two stored solutions of one problem"},
    {"bench", cmd_bench, "compare methods on many problems, with a report"},
    {"info", cmd_info, "describe a problem: sizes, rank, conditioning, what to expect"},
    {"methods", cmd_methods, "list the methods and their settings"},
    {"convert", cmd_convert, "write a problem in another form or file format"},
    {"view", cmd_view, "write a recording as a replay page"},
    {"plot", cmd_plot, "draw energies, certificates or convergence as SVG"},
    {"snapshot", cmd_snapshot, "draw one moment of a recording as PNG"},
    {"export", cmd_export, "write a recording for ParaView, Blender or a spreadsheet"},
    {"generate", cmd_generate, "write a generated problem to a file"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out) {
    fprintf(out,
            "Cairn %s: cone complementarity problems of nonsmooth dynamics.\n\n"
            "usage: cairn COMMAND ...\n\ncommands:\n",
            cairn_version());
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n  cairn help COMMAND     options and examples of a command; cairn COMMAND --help too\n"
          "  cairn --version        the version\n\n"
          "exit codes: 0 solved or certified, 1 not solved or not certified, 2 wrong usage, 3 bad file;\n"
          "several files: the largest.\n\n"
          "examples:\n"
          "  cairn demo\n"
          "  cairn run dominoes --html dominoes.html\n"
          "  cairn scenes dominoes > my.json && cairn run my.json --until 0.3\n"
          "  cairn generate cairn stones=60 --out stones.hdf5 && cairn solve stones.hdf5\n",
          out);
}

static int unknown_command(const char *name) {
    const char *known[COMMANDS + 2] = {"--help", "--version"};
    for (int i = 0; i < COMMANDS; i++)
        known[i + 2] = commands[i].name;
    const char *meant = cairn_nearest(name, known, COMMANDS + 2);
    if (meant != NULL)
        cli_complain("unknown command '%s'; did you mean '%s'? See cairn --help", name, meant);
    else
        cli_complain("unknown command '%s'; see cairn --help", name);
    return CLI_USAGE;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    bool helps = strcmp(name, "help") == 0 && (argc == 2 || strcmp(argv[2], "help") == 0);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || helps) {
        print_help(stdout);
        return CLI_OK;
    }
    if (strcmp(name, "help") == 0) /* cairn help COMMAND */
        for (int i = 0; i < COMMANDS; i++)
            if (strcmp(argv[2], commands[i].name) == 0)
                return commands[i].run(2, (char *[]){argv[2], (char[]){"--help"}, NULL});
    if (strcmp(name, "--version") == 0 || strcmp(name, "-v") == 0 || strcmp(name, "-V") == 0) {
        printf("cairn %s\n", cairn_version());
        return CLI_OK;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return unknown_command(strcmp(name, "help") == 0 ? argv[2] : name);
}

/* A standard descriptor that is closed would be given to the next file that is opened, and what
 * is printed would go into that file. */
static void fill_standard(void) {
    for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++)
        if (fcntl(k, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) < 0)
            return;
}

/* libhdf5 keeps files that it could not close for want of memory, and crashes over them in its
 * exit handler: a program that failed over a file ends without exit handlers. The leak checker
 * is one of them. */
static int end(int code) {
#if !defined(__SANITIZE_ADDRESS__)
    if (code == CLI_BAD_FILE) {
        fflush(stderr);
        _exit(code);
    }
#endif
    return code;
}

int main(int argc, char **argv) {
    fill_standard();
    int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_complain("standard output could not be written");
        return end(code > CLI_BAD_FILE ? code : CLI_BAD_FILE);
    }
    return end(code);
}
