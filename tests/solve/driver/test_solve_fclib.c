/* The FCLIB collection through the default method: both laws certified at 1e-4 (plain formula too), and warm starts from
 * the step before. Skipped, saying so, when the collection is not there. */
#include "support/support.h"

#include <dirent.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EVERY 8 /* instrumented builds take one file in eight */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EVERY 8
#else
#define EVERY 1
#endif
#else
#define EVERY 1
#endif

typedef struct tally {
    int files, certified, plain;
} tally;

/* Solves one file; adds to the tally. */
static void solve_file(const char *path, cairn_law law, double tolerance, tally *count) {
    cairn_context *context = plain_context(1);
    cairn_file file;
    cairn_status status = cairn_file_read(context, path, &file);
    if (status == CAIRN_ERROR_UNSUPPORTED) { /* rolling friction */
        CHECK_CONTAINS(cairn_error_message(context), "rolling");
        cairn_context_destroy(context);
        return;
    }
    CHECK(status == CAIRN_OK);
    cairn_settings settings = cairn_default_settings(NULL);
    settings.tolerance = tolerance;
    cairn_solver *solver = NULL;
    cairn_info info = {.outcome = CAIRN_NUMERICAL};
    cairn_answer answer = {0};
    CHECK(cairn_problem_set_law(file.problem, law) == CAIRN_OK);
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, file.problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, &answer, &info) == CAIRN_OK);
    /* a second opinion on the answer handed out */
    cairn_certificate again;
    CHECK(cairn_certify(file.problem, answer.v, answer.gamma, tolerance, &again, NULL, NULL) == CAIRN_OK);
    CHECK(again.certified == (info.outcome == CAIRN_SOLVED));
    count->files++;
    count->certified += again.certified;
    count->plain += again.certified && again.plain <= tolerance;
    if (!again.certified || again.plain > tolerance)
        printf("%s, %s law, %g: %s, natural map %.2g, plain %.2g\n", path, cairn_law_name(law), tolerance,
               cairn_outcome_name(info.outcome), again.natural_map, again.plain);
    cairn_solver_destroy(solver);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

static tally solve_folder(const char *folder, cairn_law law, double tolerance) {
    tally count = {0};
    char first[1024], path[2048];
    if (!shared_path(folder, first, sizeof first)) {
        SKIP("the FCLIB collection is not beside the project");
        return count;
    }
    DIR *directory = opendir(first);
    struct dirent *entry;
    int seen = 0;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strstr(entry->d_name, ".hdf5") == NULL || seen++ % EVERY != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", first, entry->d_name);
        solve_file(path, law, tolerance, &count);
    }
    if (directory != NULL)
        closedir(directory);
    return count;
}

TEST(every_problem_at_1e_4) {
    for (int law = 0; law < 2; law++) {
        tally stacks = solve_folder("box_stacks", (cairn_law)law, 1e-4);
        tally others = solve_folder("others", (cairn_law)law, 1e-4);
        CHECK(stacks.certified == stacks.files && stacks.plain == stacks.files);
        CHECK(others.certified == others.files && others.plain == others.files);
        if (stacks.files > 0 && EVERY == 1)
            CHECK(stacks.files == 69 && others.files == 4);
    }
}

TEST(every_problem_at_1e_8) {
    for (int law = 0; law < 2; law++) {
        tally stacks = solve_folder("box_stacks", (cairn_law)law, 1e-8);
        tally others = solve_folder("others", (cairn_law)law, 1e-8);
        CHECK(stacks.certified == stacks.files && others.certified == others.files);
    }
}

/* Iterations of one solve of second, started from the answer of first (cold when first is NULL). */
static int iterations_from(const char *first, const char *second, double tolerance) {
    cairn_context *context = plain_context(1);
    cairn_settings settings = cairn_default_settings("padmm");
    settings.tolerance = tolerance;
    double *gamma = NULL, rho = 0.0;
    int iterations = -1;
    for (int step = first == NULL ? 1 : 0; step < 2; step++) {
        cairn_file file;
        cairn_solver *solver = NULL;
        cairn_answer answer = {0};
        cairn_info info = {0};
        CHECK(cairn_file_read(context, step == 0 ? first : second, &file) == CAIRN_OK);
        size_t m = (size_t)cairn_problem_get(file.problem).m;
        cairn_guess guess = {.gamma = gamma, .rho = rho};
        CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
        CHECK(cairn_solver_load(solver, file.problem) == CAIRN_OK);
        CHECK(cairn_solver_solve(solver, &guess, &answer, &info) == CAIRN_OK);
        CHECK(info.outcome == CAIRN_SOLVED);
        iterations = info.iterations;
        rho = info.rho;
        if (step == 0) {
            gamma = malloc(m * sizeof *gamma);
            memcpy(gamma, answer.gamma, m * sizeof *gamma);
        }
        cairn_solver_destroy(solver);
        cairn_file_clear(&file);
    }
    free(gamma);
    cairn_context_destroy(context);
    return iterations;
}

/* [T21 6.2]: a warm start from the step before saves a factor of 2 to 10. */
TEST(warm_start_from_the_step_before) {
    static const char *const pairs[][2] = {{"39", "40"}, {"46", "47"}, {"49", "50"}, {"52", "53"}, {"55", "56"},
                                           {"58", "59"}, {"61", "62"}, {"64", "65"}, {"67", "68"}, {"70", "71"},
                                           {"73", "74"}, {"76", "77"}, {"79", "80"}, {"82", "83"}, {"86", "87"}};
    char name[128], first[1024], second[1024];
    int cold = 0, warm = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        snprintf(name, sizeof name, "box_stacks/Box_Stacks-i1000-548-%s.hdf5", pairs[i][0]);
        bool here = shared_path(name, first, sizeof first);
        snprintf(name, sizeof name, "box_stacks/Box_Stacks-i1000-548-%s.hdf5", pairs[i][1]);
        if (!here || !shared_path(name, second, sizeof second)) {
            SKIP("the FCLIB collection is not beside the project");
            return;
        }
        int a = iterations_from(NULL, second, 1e-4), b = iterations_from(first, second, 1e-4);
        printf("step %s: %d iterations cold, %d warm\n", pairs[i][1], a, b);
        cold += a;
        warm += b;
    }
    CHECK(2 * warm <= cold);
}

int main(void) {
    RUN(every_problem_at_1e_4);
    RUN(every_problem_at_1e_8);
    RUN(warm_start_from_the_step_before);
    return test_end();
}
