/*
 * random_campaign.c: see random_campaign.h.
 *
 * SIGINT and SIGTERM are held back here and looked for between worlds, so that the counts are printed. The log has one line a world:
 * seed, steps, certified steps, then the findings as random_found_print writes them.
 */
#define _DEFAULT_SOURCE /* setrlimit */
#include "random_campaign.h"
#include "random_run.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 16, MOST_SEEDS = 12 };

/* What was found in worlds of a class. */
typedef struct tally {
    uint64_t worlds, found[FOUND_KINDS];
    int64_t steps, certified;
} tally;

typedef struct worst {
    uint64_t seed;
    random_finding finding;
} worst;

typedef struct count {
    tally of[RANDOM_CLASSES];
    worst worst[FOUND_KINDS][MOST_SEEDS]; /* of largest figure first */
    uint64_t done;
} count;

typedef struct job {
    pid_t process; /* 0: free */
    int pipe;
    uint64_t seed;
} job;

void random_found_print(const random_result *result, random_text *text) {
    for (int i = 0; i < FOUND_KINDS; i++)
        if (result->found[i].count > 0)
            random_put(text, " %s:%d@%lld %.2g", random_found_name(i), result->found[i].count,
                       (long long)result->found[i].step, result->found[i].figure);
    if (result->text[0] != '\0')
        random_put(text, " | %s", result->text);
}

/* ---- processes ---------------------------------------------------------------------------------------------- */

static bool start(job *j, const char *text, size_t size, const char *folder, int limit) {
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    j->process = fork();
    if (j->process == 0) {
        random_result result = {.steps = 0};
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        close(ends[0]);
        setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)limit, (rlim_t)limit + 5}); /* a busy machine makes no finding */
        alarm(20 * (unsigned)limit);
        random_run(text, size, folder, &result);
        bool told = write(ends[1], &result, sizeof result) == (ssize_t)sizeof result;
        fflush(NULL);
        _exit(told ? 0 : 1);
    }
    close(ends[1]);
    j->pipe = ends[0];
    if (j->process < 0) {
        close(ends[0]);
        j->process = 0;
        return false;
    }
    return true;
}

/* After the process has ended. false: it was interrupted, nothing is known. */
static bool collect(job *j, int status, const char *folder, random_result *result) {
    char path[500];
    random_result read_result;
    bool told = read(j->pipe, &read_result, sizeof read_result) == (ssize_t)sizeof read_result;
    close(j->pipe);
    *result = told ? read_result : (random_result){.steps = 0};
    if (!told || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        snprintf(path, sizeof path, "%s/random-%ld.h5", folder, (long)j->process);
        unlink(path);
        snprintf(path, sizeof path, "%s/random-%ld.h5.journal", folder, (long)j->process);
        unlink(path);
        int cause = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        snprintf(result->text, sizeof result->text, cause ? "signal %d" : "exit %d",
                 cause ? cause : WEXITSTATUS(status));
        random_found_add(result, cause == SIGALRM || cause == SIGXCPU ? FOUND_HANG : FOUND_CRASH, 0, 0);
        j->process = 0;
        return cause != SIGINT && cause != SIGTERM;
    }
    j->process = 0;
    return true;
}

bool random_apart(const char *text, size_t size, const char *folder, int limit, random_result *result) {
    job j;
    int status;
    return start(&j, text, size, folder, limit) && waitpid(j.process, &status, 0) == j.process &&
           collect(&j, status, folder, result);
}

/* ---- counts ------------------------------------------------------------------------------------------------- */

static void count_world(count *c, uint64_t seed, const random_result *result) {
    tally *t = &c->of[seed % RANDOM_CLASSES];
    t->worlds++;
    t->steps += result->steps;
    t->certified += result->certified;
    c->done++;
    for (int i = 0; i < FOUND_KINDS; i++) {
        worst at = {seed, result->found[i]};
        if (at.finding.count == 0)
            continue;
        t->found[i]++;
        for (int k = 0; k < MOST_SEEDS; k++)
            if (c->worst[i][k].finding.count == 0 || at.finding.figure > c->worst[i][k].finding.figure) {
                worst other = c->worst[i][k];
                c->worst[i][k] = at;
                at = other;
                if (at.finding.count == 0)
                    break;
            }
    }
}

static void print_table(const count *c) {
    tally all = {.worlds = 0};
    printf("%-11s %7s %8s %8s", "class", "worlds", "steps", "certif.");
    for (int i = 0; i < FOUND_KINDS; i++)
        printf(" %7s", random_found_name(i));
    printf("\n");
    for (int k = 0; k <= RANDOM_CLASSES; k++) {
        const tally *t = k < RANDOM_CLASSES ? &c->of[k] : &all;
        if (t->worlds == 0)
            continue;
        printf("%-11s %7llu %8lld %8lld", k < RANDOM_CLASSES ? random_class_name(k) : "all",
               (unsigned long long)t->worlds, (long long)t->steps, (long long)t->certified);
        for (int i = 0; i < FOUND_KINDS; i++) {
            printf(" %7llu", (unsigned long long)t->found[i]);
            all.found[i] += k < RANDOM_CLASSES ? t->found[i] : 0;
        }
        printf("\n");
        all.worlds += k < RANDOM_CLASSES ? t->worlds : 0;
        all.steps += k < RANDOM_CLASSES ? t->steps : 0;
        all.certified += k < RANDOM_CLASSES ? t->certified : 0;
    }
    for (int i = 0; i < FOUND_KINDS; i++)
        for (int k = 0; k < MOST_SEEDS && c->worst[i][k].finding.count > 0; k++) {
            const worst *w = &c->worst[i][k];
            printf("%s%llu (%s, step %lld, %.2g)", k == 0 ? "\n  " : ", ", (unsigned long long)w->seed,
                   random_class_name((int)(w->seed % RANDOM_CLASSES)), (long long)w->finding.step, w->finding.figure);
            if (k == MOST_SEEDS - 1 || c->worst[i][k + 1].finding.count == 0)
                printf(": %s\n", random_found_name(i));
        }
}

/* Counts the worlds of the log; done[i] for those of this campaign. */
static void read_log(const random_campaign *campaign, FILE *log, bool *done, count *c) {
    char line[1000];
    while (fgets(line, sizeof line, log) != NULL) {
        unsigned long long seed;
        long long steps, certified;
        random_result result = {.steps = 0};
        int at = 0;
        if (sscanf(line, "%llu %lld %lld%n", &seed, &steps, &certified, &at) != 3 || strchr(line, '\n') == NULL ||
            seed < campaign->first || seed - campaign->first >= campaign->count || done[seed - campaign->first])
            continue;
        result.steps = steps;
        result.certified = certified;
        char name[20];
        long long step;
        int many, used;
        double figure;
        while (sscanf(line + at, " %19[a-z]:%d@%lld %lf%n", name, &many, &step, &figure, &used) == 4) {
            at += used;
            for (int i = 0; i < FOUND_KINDS; i++)
                if (strcmp(name, random_found_name(i)) == 0)
                    result.found[i] = (random_finding){many, step, figure};
        }
        done[seed - campaign->first] = true;
        count_world(c, seed, &result);
    }
}

/* ---- the campaign ------------------------------------------------------------------------------------------- */

static bool interrupted(void) {
    sigset_t waiting;
    return sigpending(&waiting) == 0 && (sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1);
}

static bool start_world(const random_campaign *campaign, job *j, uint64_t seed) {
    random_scene *scene = random_scene_make(seed);
    random_text text = {.size = 0};
    if (scene != NULL)
        random_scene_print(scene, &text);
    bool fine = scene != NULL && !text.failed;
    j->seed = seed;
    fine = fine && start(j, text.data, text.size, campaign->folder, campaign->limit);
    free(text.data);
    random_scene_free(scene);
    return fine;
}

static bool finish_one(const random_campaign *campaign, job *jobs, count *c, FILE *log) {
    int status;
    random_result result;
    pid_t process = waitpid(-1, &status, 0);
    for (int i = 0; i < campaign->jobs && process > 0; i++) {
        if (jobs[i].process != process)
            continue;
        if (!collect(&jobs[i], status, campaign->folder, &result))
            return true;
        uint64_t seed = jobs[i].seed;
        random_text text = {.size = 0};
        random_put(&text, "%llu %lld %lld", (unsigned long long)seed, (long long)result.steps,
                   (long long)result.certified);
        random_found_print(&result, &text);
        if (log != NULL && !text.failed && (fprintf(log, "%s\n", text.data) < 0 || fflush(log) != 0))
            fprintf(stderr, "the log cannot be written\n");
        free(text.data);
        count_world(c, seed, &result);
        if (!campaign->quiet && c->done % 100 == 0)
            fprintf(stderr, "%llu worlds\n", (unsigned long long)c->done);
        if (campaign->each != NULL)
            campaign->each(campaign->user, seed, &result);
        return true;
    }
    return process > 0;
}

bool random_campaign_run(const random_campaign *campaign) {
    count *c = calloc(1, sizeof *c);
    bool *done = calloc(campaign->count + 1, sizeof *done), fine = c != NULL && done != NULL;
    FILE *log = campaign->log != NULL ? fopen(campaign->log, "a+") : NULL;
    job jobs[MOST_JOBS] = {{0}};
    int busy = 0;
    sigset_t stop, old;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, &old);
    if (campaign->log != NULL && log == NULL) {
        fprintf(stderr, "%s: the log cannot be opened\n", campaign->log);
        fine = false;
    } else if (fine && log != NULL) {
        rewind(log);
        read_log(campaign, log, done, c);
    }
    for (uint64_t i = 0; fine && i < campaign->count && !interrupted(); i++) {
        uint64_t seed = campaign->first + i;
        if (done[i] || (campaign->kind >= 0 && (int)(seed % RANDOM_CLASSES) != campaign->kind))
            continue;
        while (busy >= campaign->jobs && fine) {
            fine = finish_one(campaign, jobs, c, log);
            busy--;
        }
        int slot = 0;
        while (jobs[slot].process != 0)
            slot++;
        fine = fine && start_world(campaign, &jobs[slot], seed);
        busy += fine;
    }
    for (; busy > 0; busy--)
        fine = finish_one(campaign, jobs, c, log) && fine;
    if (c != NULL)
        print_table(c);
    if (interrupted())
        printf("\ninterrupted; the same command with the same log goes on\n");
    if (log != NULL)
        fclose(log);
    free(c);
    free(done);
    return fine;
}

/* ---- the reducer -------------------------------------------------------------------------------------------- */

/* -1: the finding is gone, else the step of it. */
static int64_t still(const random_scene *scene, int kind, const char *folder, int limit) {
    random_text text = {.size = 0};
    random_result result = {.steps = 0};
    random_scene_print(scene, &text);
    bool there = !text.failed && random_apart(text.data, text.size, folder, limit, &result) &&
                 result.found[kind].count > 0;
    free(text.data);
    return there ? result.found[kind].step : -1;
}

bool random_reduce(random_scene *scene, int kind, const char *folder, int limit, random_text *text) {
    random_result result = {.steps = 0};
    random_scene_print(scene, text);
    if (text->failed || !random_apart(text->data, text->size, folder, limit, &result))
        return false;
    for (int i = 0; i < FOUND_KINDS && kind < 0; i++)
        kind = result.found[i].count > 0 ? i : -1;
    if (kind < 0 || result.found[kind].count == 0)
        return false;
    for (bool smaller = true; smaller;) {
        smaller = false;
        int64_t step = still(scene, kind, folder, limit);
        int steps = scene->steps;
        if (step > 0 && step < steps) {
            scene->steps = (int)step;
            if (still(scene, kind, folder, limit) < 0)
                scene->steps = steps;
        }
        for (int i = scene->items - 1; i >= 0; i--) {
            if (scene->item[i].dropped)
                continue;
            scene->item[i].dropped = true;
            scene->item[i].dropped = still(scene, kind, folder, limit) >= 0;
            smaller = smaller || scene->item[i].dropped;
        }
    }
    random_scene_print(scene, text);
    return !text->failed;
}
