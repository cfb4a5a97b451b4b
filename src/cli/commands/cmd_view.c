/*
 * cmd_view.c: `cairn view RUN.h5`: a recording as a replay page: one HTML file that needs no
 * network and no server.
 */
#define _POSIX_C_SOURCE 200809L

#include "cli/replay_page.h"
#include "cli/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int view_default_name(const char *recording, const char *ending, char *name, size_t size) {
    const char *base = cli_basename(recording), *dot = strrchr(base, '.');
    int length = (int)(dot != NULL && dot != base ? dot - base : (ptrdiff_t)strlen(base));
    return snprintf(name, size, "%.*s%s", length, base, ending) < (int)size ? CLI_GO : CLI_USAGE;
}

int view_write(cairn_context *context, const char *recording_path, const cairn_frame_choice *choice, double limit,
               const char *page_path, cairn_view_report *report, int *damaged) {
    *damaged = CLI_OK;
    char *page = page_template();
    if (page == NULL)
        return CLI_UNSOLVED;
    cairn_recording *recording = NULL;
    cairn_status status = view_open(context, recording_path, &recording);
    if (status == CAIRN_OK)
        status = cairn_view_write(recording, choice, page, NULL, (size_t)(limit * 1e6), page_path, report);
    *damaged = view_damage(recording);
    cairn_recording_close(recording);
    free(page);
    if (status == CAIRN_OK)
        return CLI_GO;
    /* a page that cannot be written is named by its own message */
    return cli_report(context, status == CAIRN_ERROR_IO ? NULL : recording_path, status, false);
}

void view_say(const char *page_path, const cairn_view_report *r) {
    printf("%s: %lld frames, %.1f MB", page_path, (long long)r->frames, (double)r->bytes / 1e6);
    if (r->contacts_kept < r->contacts)
        printf("; of %lld contacts the %.0f %% with the largest impulses (--limit 0 keeps all)", (long long)r->contacts,
               100.0 * (double)r->contacts_kept / (double)r->contacts);
    if (r->uncertified > 0)
        printf("; %d frames were not certified", r->uncertified);
    printf("\n");
}

/* Hands the page to the desktop's browser; false when there is nothing to hand it to. */
static bool open_page(const char *path) {
    pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", path, (char *)NULL);
        execlp("open", "open", path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int cmd_view(int argc, char **argv) {
    const char *out = NULL;
    bool open = false;
    double limit = VIEW_LIMIT;
    cairn_frame_choice choice = cairn_default_frame_choice();
    const cli_option option[] = {
        {"--out", CLI_TEXT, &out, 0, 0, "PAGE.html", "the page (default: RUN.html in this folder)"},
        {"--every", CLI_INTEGER, &choice.every, 1, 1e9, "K", "every K-th frame (default 1)"},
        {"--from", CLI_REAL, &choice.from, -1e300, 1e300, "T", "first time, s"},
        {"--until", CLI_REAL, &choice.to, -1e300, 1e300, "T", "last time, s"},
        {"--limit", CLI_REAL, &limit, 0, 1e6, "MB",
         "thin out contacts when the file would be larger (default 25; 0: never)"},
        {"--open", CLI_FLAG, &open, 0, 0, NULL, "open the page in the browser"},
    };
    const cli_command command = {
        "view",
        "RUN.h5",
        "Writes a recording as a replay page: one HTML file that works offline, with bodies, contacts, forces, plots "
        "and\n"
        "certificates. docs/viewer.md explains it.\n",
        "  cairn run dominoes --out run.h5 && cairn view run.h5 --open\n"
        "  cairn view run.h5 -o impact.html --from 0.4 --until 1.2\n",
        1,
        1,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    char name[512];
    int code = cli_parse(&command, argc, argv, &operands);
    if (code != CLI_GO)
        return code;
    if (choice.from > choice.to)
        return cli_usage("view", "--from %g is after --until %g", choice.from, choice.to);
    if (out == NULL && view_default_name(argv[1], ".html", name, sizeof name) != CLI_GO)
        return cli_usage("view", "the name is too long; give -o PAGE.html");
    out = out != NULL ? out : name;
    if ((code = cli_check_target("view", out, argv[1])) != CLI_GO)
        return code;
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    cairn_view_report report;
    int damaged = CLI_OK;
    code = view_write(context, argv[1], &choice, limit, out, &report, &damaged);
    cairn_context_destroy(context);
    if (code != CLI_GO)
        return code;
    view_say(out, &report);
    if (limit > 0.0 && (double)report.bytes > limit * 1e6)
        printf("it is larger than %g MB without any contact; --every K takes fewer frames\n", limit);
    if (open && !open_page(out))
        cli_complain("no browser could be opened here; open %s yourself", out);
    return damaged;
}
