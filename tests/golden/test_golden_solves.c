/*
 * test_golden_solves.c: every method on generated problems, and where it is there on the FCLIB collection, under both laws, at three tolerances: hashes of outcome, counts, answer and certificate,
 * one a method and problem. A method that does not take a problem has the hash of its refusal.
 */
#define _POSIX_C_SOURCE 200809L
#include "golden.h"

#include <dirent.h>

enum { ITERATIONS = 60, SHARE = 3, ALL = 24 };

static void add_answer(golden_hash *hash, const cairn_problem_view *p, const cairn_answer *answer,
                       const cairn_info *info) {
    const cairn_certificate *c = &info->certificate;
    golden_counts(hash,
                  (const int64_t[]){info->outcome, info->iterations, info->factorizations, info->solves, c->certified,
                                    c->worst_block},
                  6);
    golden_reals(hash,
                 (const double[]){info->rho, info->primal, info->dual, c->error, c->error_angular, c->relative, c->rms},
                 7);
    golden_reals(hash, answer->gamma, (size_t)p->m);
    golden_reals(hash, answer->u, (size_t)p->m);
    if (answer->v != NULL)
        golden_reals(hash, answer->v, (size_t)p->n);
}

/* Six solves: two laws, three tolerances. */
static golden_hash solve_all(cairn_context *context, const char *method, int iterations, cairn_problem *problem) {
    static const double tolerance[] = {1e-3, 1e-6, 1e-9};
    golden_hash hash = golden_begin();
    cairn_problem_view p = cairn_problem_get(problem);
    for (int k = 0; k < 6; k++) {
        cairn_settings settings = cairn_default_settings(method);
        cairn_solver *solver = NULL;
        cairn_answer answer;
        cairn_info info;
        settings.tolerance = tolerance[k % 3];
        if (iterations > 0)
            settings.max_iterations = iterations;
        CHECK(cairn_problem_set_law(problem, k < 3 ? CAIRN_LAW_COULOMB : CAIRN_LAW_ASSOCIATED) == CAIRN_OK);
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        cairn_status status = cairn_solver_load(solver, problem);
        if (status == CAIRN_OK)
            status = cairn_solver_solve(solver, NULL, &answer, &info);
        golden_counts(&hash, (const int64_t[]){status}, 1);
        if (status == CAIRN_OK)
            add_answer(&hash, &p, &answer, &info);
        cairn_solver_destroy(solver);
    }
    return hash;
}

/* All methods, or auto alone. */
static void solve_with(cairn_context *context, golden_table *table, bool all, const char *name,
                       cairn_problem *problem) {
    int methods = cairn_method_count();
    for (int i = 0; i < methods; i++) {
        cairn_method_info info;
        char key[GOLDEN_KEY];
        CHECK(cairn_method_get(i, &info) == CAIRN_OK);
        bool is_auto = strcmp(info.name, "auto") == 0;
        if (!all && !is_auto)
            continue;
        snprintf(key, sizeof key, "%.70s %s", name, info.name);
        golden_add(table, key, solve_all(context, info.name, is_auto ? 0 : ITERATIONS, problem));
    }
}

TEST(generated_problems) {
    golden_table table = golden_open("samples");
    cairn_context *context = plain_context(1);
    int samples = cairn_sample_count();
    for (int i = 0; i < samples; i++) {
        cairn_sample_info info;
        char name[GOLDEN_KEY];
        CHECK(cairn_sample_get(i, &info) == CAIRN_OK);
        cairn_sample_def def = cairn_default_sample_def(info.name);
        cairn_problem *problem = NULL, *local = NULL;
        CHECK(cairn_sample_create(context, &def, &problem) == CAIRN_OK);
        if (problem == NULL)
            continue;
        snprintf(name, sizeof name, "sample %.60s", info.name);
        solve_with(context, &table, true, name, problem);
        snprintf(name, sizeof name, "sample %.60s, local form", info.name);
        if (cairn_problem_to_local(problem, &local) == CAIRN_OK)
            solve_with(context, &table, cairn_problem_get(local).m < 300, name, local);
        cairn_problem_destroy(local);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
    golden_end(&table, NULL);
}

static int is_problem(const struct dirent *entry) {
    return strstr(entry->d_name, ".hdf5") != NULL || strstr(entry->d_name, ".dat") != NULL;
}

/* auto on every third file of a folder, every method on some of these. Rolling friction and large local problems are left out. */
static void folder_of(cairn_context *context, golden_table *table, const char *name) {
    char place[1024], path[1400], key[GOLDEN_KEY];
    struct dirent **list = NULL;
    const char *root = getenv("CAIRN_SHARED");
    snprintf(place, sizeof place, "%s%s/fclib/%s", root != NULL ? root : CAIRN_SOURCE_DIR,
             root != NULL ? "" : "/../shared", name);
    int count = scandir(place, &list, is_problem, alphasort);
    if (count < 0)
        printf("no folder %s: its problems are skipped\n", place);
    for (int i = 0; i < count; i++) {
        cairn_file file;
        snprintf(path, sizeof path, "%s/%.255s", place, list[i]->d_name);
        snprintf(key, sizeof key, "file %.80s", list[i]->d_name);
        if (i % SHARE == 0 && cairn_file_read(context, path, &file) == CAIRN_OK) {
            cairn_problem_view p = cairn_problem_get(file.problem);
            if (!p.local || p.m < 1000)
                solve_with(context, table, i % ALL == 0, key, file.problem);
            cairn_file_clear(&file);
        }
        free(list[i]);
    }
    free(list);
}

TEST(published_problems) {
    golden_table table = golden_open("fclib");
    cairn_context *context = plain_context(1);
    folder_of(context, &table, "box_stacks");
    folder_of(context, &table, "others");
    folder_of(context, &table, "siconos-text");
    cairn_context_destroy(context);
    golden_end(&table, "file ");
}

int main(void) {
    if (strcmp(golden_kind(), "release") != 0) {
        printf("skipped: hashes are of release builds\n");
        return GOLDEN_SKIPPED;
    }
    RUN(generated_problems);
    RUN(published_problems);
    return test_end();
}
