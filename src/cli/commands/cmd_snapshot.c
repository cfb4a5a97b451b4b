/*
 * cmd_snapshot.c: `cairn snapshot RUN.h5 --time T -o frame.png`: one moment of a recording, drawn
 * by the replay page in a headless Chromium.
 *
 * The page of a single frame is written to a folder of its own under TMPDIR, opened with #bare, and
 * removed.
 */
#define _POSIX_C_SOURCE 200809L

#include "cli/solve_watch.h"
#include "cli/pictures.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 1024, SECONDS_MAX = 120 };

typedef struct request {
    const char *recording, *out, *view;
    double time;
    int width, height;
    char folder[PATH_ROOM];
} request;

/* The first of these programs that is in PATH, or what CHROMIUM names. NULL: none. */
static const char *find_browser(char *path, size_t size) {
    static const char *const name[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"};
    const char *given = getenv("CHROMIUM"), *places = getenv("PATH");
    if (given != NULL && *given != '\0')
        return access(given, X_OK) == 0 ? given : NULL;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        for (const char *at = places; at != NULL && *at != '\0';) {
            int length = (int)strcspn(at, ":");
            if (snprintf(path, size, "%.*s/%s", length, at, name[i]) < (int)size && access(path, X_OK) == 0)
                return path;
            at += length + (at[length] == ':');
        }
    return NULL;
}

/* Waits for the browser, at most SECONDS_MAX; then it is ended. */
static bool wait_for(pid_t child) {
    const struct timespec pause = {0, 50000000};
    int status = 0;
    for (int i = 0; i < 20 * SECONDS_MAX; i++) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended != 0)
            return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (watch_interrupted())
            break;
        nanosleep(&pause, NULL);
    }
    kill(-child, SIGKILL);
    kill(child, SIGKILL); /* if it has no group of its own yet */
    waitpid(child, &status, 0);
    if (!watch_interrupted())
        cli_complain("the browser did not end within %d s", SECONDS_MAX);
    return false;
}

static bool draw(const request *q, const char *browser) {
    char url[2 * PATH_ROOM], shot[PATH_ROOM + 32], size[64], data[PATH_ROOM + 32];
    snprintf(url, sizeof url, "file://%s/page.html#bare&still&size=%d,%d&%s", q->folder, q->width, q->height, q->view);
    snprintf(shot, sizeof shot, "--screenshot=%s/shot.png", q->folder);
    snprintf(size, sizeof size, "--window-size=%d,%d", q->width, q->height);
    snprintf(data, sizeof data, "--user-data-dir=%s/profile", q->folder);
    const char *const argument[] = {browser,
                                    "--headless",
                                    "--no-sandbox",
                                    "--disable-gpu",
                                    "--disable-quic",
                                    "--no-first-run",
                                    "--disable-background-networking",
                                    "--disable-component-update",
                                    "--disable-sync",
                                    "--use-angle=swiftshader",
                                    "--enable-unsafe-swiftshader",
                                    "--hide-scrollbars",
                                    "--virtual-time-budget=20000",
                                    data,
                                    size,
                                    shot,
                                    url,
                                    NULL};
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        setpgid(0, 0);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        setenv("HOME", q->folder, 1);
        execv(browser, (char *const *)argument);
        _exit(127);
    }
    return child > 0 && wait_for(child);
}

/* Copies the picture to its place. */
static int keep(cairn_context *context, const request *q) {
    char from[PATH_ROOM + 32], buffer[65536];
    snprintf(from, sizeof from, "%s/shot.png", q->folder);
    FILE *in = fopen(from, "rb");
    if (in == NULL)
        return cli_report_text(q->out, CAIRN_ERROR_UNSUPPORTED, false, "the browser made no picture");
    cli_output out;
    long total = 0;
    int code = cli_output_open(context, q->out, &out);
    for (size_t n; code == CLI_GO && (n = fread(buffer, 1, sizeof buffer, in)) > 0; total += (long)n)
        if (fwrite(buffer, 1, n, out.stream) != n)
            break; /* closing tells */
    fclose(in);
    if (code == CLI_GO)
        code = cli_output_close(context, &out, true);
    if (code != CLI_GO)
        return code;
    printf("%s: %d x %d, %ld kB\n", q->out, q->width, q->height, total / 1000);
    return CLI_OK;
}

/* Removes the folder and all in it; the browser leaves many files there. */
static void remove_folder(const char *folder) {
    pid_t child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
        _exit(127);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* The time of the recording's frame nearest to the one asked for. */
static int nearest_time(cairn_context *context, const request *q, double *time) {
    cairn_recording *recording = NULL;
    cairn_status status = view_open(context, q->recording, &recording);
    double best = INFINITY;
    int64_t frames = status == CAIRN_OK ? cairn_recording_get(recording).frames : 0;
    for (int64_t k = 0; k < frames && status == CAIRN_OK; k++) {
        double t = 0.0;
        status = cairn_recording_time(recording, k, &t);
        if (status == CAIRN_OK && fabs(t - q->time) < best) {
            best = fabs(t - q->time);
            *time = t;
        }
    }
    cairn_recording_close(recording);
    return status == CAIRN_OK ? CLI_GO : cli_report(context, q->recording, status, false);
}

static int snapshot(request *q) {
    char place[PATH_ROOM], page[PATH_ROOM + 32];
    const char *browser = find_browser(place, sizeof place), *temporary = getenv("TMPDIR");
    if (browser == NULL)
        return cli_report_text(
            NULL, CAIRN_ERROR_UNSUPPORTED, false,
            "a snapshot is drawn by Chromium, which was not found; install it (Debian: chromium), or name it in the "
            "environment variable CHROMIUM. `cairn view` makes pages that any browser shows");
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    snprintf(q->folder, sizeof q->folder, "%s/cairn-snapshot-XXXXXX",
             temporary != NULL && *temporary == '/' ? temporary : "/tmp");
    watch_catch(); /* the folder is removed in any case */
    cairn_frame_choice choice = cairn_default_frame_choice();
    int damaged = CLI_OK, code = CLI_GO;
    if (cairn_output_check(context, q->out) != CAIRN_OK)
        code = cli_report(context, q->out, CAIRN_ERROR_IO, false);
    if (code == CLI_GO)
        code = nearest_time(context, q, &choice.from);
    choice.to = choice.from;
    if (code == CLI_GO && mkdtemp(q->folder) == NULL) {
        code = cli_report_text(q->folder, CAIRN_ERROR_IO, false, "%s: cannot be made: %s", q->folder, strerror(errno));
    } else if (code == CLI_GO) {
        snprintf(page, sizeof page, "%s/page.html", q->folder);
        code = view_write(context, q->recording, &choice, 0.0, page, NULL, &damaged);
        if (code == CLI_GO && !watch_interrupted())
            code = draw(q, browser) ? keep(context, q)
                   : watch_interrupted()
                       ? CLI_UNSOLVED
                       : cli_report_text(q->out, CAIRN_ERROR_UNSUPPORTED, false, "%s failed", browser);
        if (code == CLI_GO)
            code = CLI_UNSOLVED; /* stopped before the browser began */
        if (code == CLI_OK)
            code = damaged;
        remove_folder(q->folder);
    }
    cairn_context_destroy(context);
    return code;
}

int cmd_snapshot(int argc, char **argv) {
    request q = {.width = 1280, .height = 800, .view = ""};
    const cli_option option[] = {
        {"--time", CLI_REAL, &q.time, -1e300, 1e300, "T", "the moment, s; the nearest frame is drawn (default 0)"},
        {"--out", CLI_TEXT, &q.out, 0, 0, "FRAME.png", "the picture (default: RUN.png in this folder)"},
        {"--width", CLI_INTEGER, &q.width, 64, 8192, "N", "pixels (default 1280)"},
        {"--height", CLI_INTEGER, &q.height, 64, 8192, "N", "pixels (default 800)"},
        {"--view", CLI_TEXT, &q.view, 0, 0, "PARTS",
         "camera and display, as in the address of a replay page: 'colour=speed&show=arrows,shadows'"},
    };
    const cli_command command = {
        "snapshot",
        "RUN.h5",
        "Draws one moment of a recording as a PNG picture, by the replay page in a headless Chromium.\n",
        "  cairn snapshot run.h5 --time 1.2 -o frame.png\n"
        "  cairn snapshot run.h5 --time 1.2 --view 'colour=speed&show=arrows,shadows&theme=dark'\n",
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
    q.recording = argv[1];
    if (q.out == NULL && view_default_name(argv[1], ".png", name, sizeof name) != CLI_GO)
        return cli_usage("snapshot", "the name is too long; give -o FRAME.png");
    if (strlen(q.view) > PATH_ROOM / 2)
        return cli_usage("snapshot", "--view is too long");
    q.out = q.out != NULL ? q.out : name;
    code = cli_check_target("snapshot", q.out, q.recording);
    return code == CLI_GO ? snapshot(&q) : code;
}
