/* Siconos' text files as they occur: flags, answers and other things behind the problem, line ends, comments, numbers
 * of Fortran, sparse matrices of all origins, and the files of its own collection. */
#include "support/support.h"

#include <math.h>

/* Without a NUL behind it, so that reading past the end shows. */
static cairn_status read_text(cairn_context *context, const char *text, cairn_file *file) {
    size_t size = strlen(text);
    char *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, text, size);
    cairn_status status = cairn_file_read_memory(context, exact, size, "t.dat", file);
    free(exact);
    if (status != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    return status;
}

/* Reads first and last as one text. */
static cairn_status read_joined(cairn_context *context, const char *first, const char *last, cairn_file *file) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", first, last);
    return read_text(context, text, file);
}

static double entry(const int *start, const int *index, const double *value, int row, int col) {
    for (int e = start[col]; e < start[col + 1]; e++)
        if (index[e] == row)
            return value[e];
    return 0.0;
}

static bool same(const double *values, const double *expected, int count) {
    return values != NULL && memcmp(values, expected, (size_t)count * sizeof *values) == 0;
}

/* One contact of the plane: W = [2 1; 0 3], q = (-1, 0.5), mu = 0.25; and M = diag(1, 2, 3), H = [1 4; 2 5; 3 6]. */
static const char local_dense[] =
    "2\n1\n0\n2\n2\n2\t2\n2.0e+00 0.0e+00 \n 1.0e+00 3.0e+00 \n-1.0e+00 5.0e-01 \n2.5e-01 \n";
static const char local_block[] =
    "2\n1\n1\n2\n2\n2\n2\n1\n1\t2\t\n2\t\n3\n2\n0\t1\t2\t\n0\t0\t\n0\n2.0\n1.0\n1\n0.0\n3.0\n"
    "-1.0e+00 5.0e-01 \n2.5e-01 \n";
static const char local_triplets[] = "2\n1\n2\n2\n2\n1\nCSparse Version 3.1.9, May 4, 2016.  Copyright\n"
                                     "triplet: 2-by-2, nzmax: 8 nnz: 3\n    1 1 : 3\n    0 0 : 2\n    0 1 : 1\n"
                                     "-1.0e+00 5.0e-01 \n2.5e-01 \n";
static const char local_columns[] =
    "2\n1\n2\n2\n2\n2\nCSparse Version 3.1.9, May 4, 2016.  Copyright\n"
    "2-by-2, nzmax: 8 nnz: 3, 1-norm: 4\n    col 0 : locations 0 to 0\n      0 : 2\n"
    "    col 1 : locations 1 to 2\n      0 : 1\n      1 : 3\n-1.0e+00 5.0e-01 \n2.5e-01 \n";
static const char local_rows[] =
    "2\n1\n2\n2\n2\n3\nCSparse Version 3.1.9, May 4, 2016.  Copyright\n"
    "2-by-2, nzmax: 8 nnz: 3, 1-norm: -1\n    col 0 : locations 0 to 1\n      0 : 2\n"
    "      1 : 1\n    col 1 : locations 2 to 2\n      1 : 3\n-1.0e+00 5.0e-01 \n2.5e-01 \n";
static const char local_old[] = "2\n1\n2\n2\n2\nCSparse Version 3.1.4\ntriplet: 2-by-2, nzmax: 8 nnz: 3\n    1 1 : 3\n"
                                "    0 0 : 2\n    0 1 : 1\n-1.0e+00 5.0e-01 \n2.5e-01 \n";
static const char global_dense[] =
    "2\n1\n0\n3\n3\n3\t3\n1 0 0 \n0 2 0 \n0 0 3 \n0\n3\n2\n3\t2\n1.0 2.0 \n3.0 4.0 \n5.0 6.0 \n"
    "1.0e+01 2.0e+01 3.0e+01 \n-1.0e+00 -2.0e+00 \n5.0e-01 \n";
static const char *const problems[] = {local_dense, local_block, local_triplets, local_columns,
                                       local_rows,  local_old,   global_dense};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static void check_problem(const cairn_file *file, bool local) {
    cairn_problem_view v = cairn_problem_get(file->problem);
    CHECK(file->local == local && file->spacedim == 2 && file->contacts == 1 && v.m == 2);
    if (local) {
        const double N[4] = {2.0, 0.0, 1.0, 3.0};
        for (int k = 0; k < 4; k++)
            CHECK(entry(v.H_start, v.H_index, v.H_value, k % 2, k / 2) == N[k]);
        CHECK(v.b[0] == -1.0 && v.b[1] == 0.5 && v.block[0].mu == 0.25);
    } else {
        for (int k = 0; k < 6; k++)
            CHECK(entry(v.D_start, v.D_index, v.D_value, k % 3, k / 3) == k + 1.0);
        CHECK(v.n == 3 && v.k[2] == 30.0 && v.b[1] == -2.0 && v.block[0].mu == 0.5);
    }
}

/* The flag of older versions, blank lines, no line end, the line ends of Windows, the mark before UTF-8. */
TEST(flags) {
    cairn_context *context = plain_context(1);
    const char *const behind[] = {"", "0\n", "1\n", "1", "\n\n  0 \n\n\t\n"};
    for (int k = 0; k < PROBLEMS; k++)
        for (int b = 0; b < 5; b++)
            for (int windows = 0; windows < 2; windows++) {
                char plain[1024], text[2048] = "\xef\xbb\xbf", *to = text + (windows ? 3 : 0);
                snprintf(plain, sizeof plain, "%s%s", problems[k], behind[b]);
                for (const char *c = plain; *c != '\0'; c++) {
                    if (windows && *c == '\n')
                        *to++ = '\r';
                    *to++ = *c;
                }
                *to = '\0';
                cairn_file file = {0};
                CHECK(read_text(context, text, &file) == CAIRN_OK);
                if (file.problem == NULL)
                    continue;
                check_problem(&file, k < PROBLEMS - 1);
                CHECK(file.note == NULL && file.guesses == 0 && file.solution.r == NULL);
                cairn_file_clear(&file);
            }
    cairn_context_destroy(context);
}

/* An answer becomes the solution and the guess, with a flag or without, whatever the flag says. */
TEST(answers) {
    cairn_context *context = plain_context(1);
    const char *const flag[] = {"", "0\n", "1\n"};
    const double r[2] = {0.5, -0.125}, u[2] = {0.0, 0.25}, v[3] = {1.0, -2.0, 4.0};
    for (int k = 0; k < PROBLEMS; k++)
        for (int f = 0; f < 3; f++)
            for (int count = 1; count <= (k == PROBLEMS - 1 ? 3 : 2); count++) {
                char behind[256];
                snprintf(behind, sizeof behind, "%s5e-1 -1.25e-1\n%s%s", flag[f],
                         count > 1 ? "\n0.0e+00 2.5E-01\n" : "", count > 2 ? "1.0 -2. 4" : "");
                cairn_file file = {0};
                CHECK(read_joined(context, problems[k], behind, &file) == CAIRN_OK);
                if (file.problem == NULL)
                    continue;
                check_problem(&file, k < PROBLEMS - 1);
                CHECK(file.note == NULL && file.guesses == 1);
                for (int g = 0; g < 2 && file.guesses == 1; g++) {
                    const cairn_vectors *a = g == 0 ? &file.solution : &file.guess[0];
                    CHECK(same(a->r, r, 2) && (count > 1 ? same(a->u, u, 2) : a->u == NULL));
                    CHECK(count > 2 ? same(a->v, v, 3) : a->v == NULL);
                }
                cairn_file_clear(&file);
            }
    cairn_context_destroy(context);
}

typedef struct left_out {
    const char *behind, *note;
    bool r, u;
} left_out;

/* What is no answer is named, and the problem is read all the same. */
TEST(notes) {
    const left_out rests[] = {
        {"2\n", "line 11: 1 numbers behind the problem, the first 2, were left out; expected 0 or 1", false, false},
        {"1\n.5 .5 .5\n", "line 11: 4 numbers behind the problem, the first 1,", false, false},
        {"0\n.5\n # one a line", "1 comment was left out", true, false},
        {"\n\n.5 .5 .5 .5 .5 .5 .5\n", "line 13: 7 numbers behind the problem", false, false},
        {"1\n.5 nan\n", "line 12: the reaction behind the problem holds nan and was left out", false, false},
        {"1\n.5 .5\n0 -inf\n", "line 13: the velocity behind the problem holds -inf and was left out", true, false},
        {"1\n-nan 1\n.5 .5", "line 12: the reaction behind the problem holds -nan", false, true},
        {"1\n1e999 1\n.5 .5", "the reaction behind the problem holds 1e999", false, true},
        {"1\nsolved\n.5 .5", "line 12: solved is no number; all that stands behind the problem, from line 11 on", false,
         false},
        {"a-word-of-more-than-sixty-three-characters-which-nobody-has-ever-seen-in-a-file", "is no number", false,
         false},
        {"\x01\xff", "line 11: ?? is no number", false, false},
        {"# by hand\n", "line 11: 1 comment was left out", false, false},
        {"1 % flag\n# reaction\n.5 .5\n// velocity\n.5 .5 ! the end", "line 11: 4 comments were left out", true, true},
    };
    counting_allocator counter = {.fail_at = -1};
    cairn_context *context = counting_context(&counter, 1);
    for (size_t k = 0; k < sizeof rests / sizeof *rests; k++) {
        cairn_file file = {0};
        CHECK(read_joined(context, local_dense, rests[k].behind, &file) == CAIRN_OK);
        if (file.problem == NULL)
            continue;
        check_problem(&file, true);
        CHECK(file.note != NULL);
        CHECK_CONTAINS(file.note != NULL ? file.note : "", rests[k].note);
        CHECK((file.solution.r != NULL) == rests[k].r && (file.solution.u != NULL) == rests[k].u);
        CHECK(file.guesses == (rests[k].r || rests[k].u ? 1 : 0));
        cairn_file_clear(&file);
        CHECK(counter.live == 1);
    }
    cairn_file file = {0};
    CHECK(read_joined(context, global_dense, "2 2 3\n", &file) == CAIRN_OK);
    CHECK_CONTAINS(file.note != NULL ? file.note : "", "4 (reaction, velocity) or 7 (the global velocity too)");
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

/* Fortran's exponents and comments between the numbers. */
TEST(fortran) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    CHECK(read_text(context,
                    "2 # dimension\n1\n0\n2\n2\n2 2\n% W\n0.2D+01 0.0d0 .1D1 3.\n-1.0D+000 5d-1\n0.25\n1.5-100 -2+101",
                    &file) == CAIRN_OK);
    check_problem(&file, true);
    CHECK(file.solution.r != NULL && file.solution.r[0] == 1.5e-100 && file.solution.r[1] == -2e101);
    cairn_file_clear(&file);
    const char *const bad[] = {"1d", "1.5-10", "-100", "1e5-100", "+-100"};
    for (int k = 0; k < 5; k++) {
        char text[128];
        snprintf(text, sizeof text, "2 1 0 2 2 2 2 2 0 1 3 -1 .5 .25 %s %s", bad[k], bad[k]);
        CHECK(read_text(context, text, &file) == CAIRN_OK);
        bool number = strcmp(bad[k], "-100") == 0;
        CHECK((file.solution.r != NULL) == number && (file.note == NULL) == number);
        CHECK(!number || file.solution.r[1] == -100.0);
        cairn_file_clear(&file);
    }
    cairn_context_destroy(context);
}

/* Half of a symmetric matrix, block rows without blocks at the end, and no contacts at all. */
TEST(matrices) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    CHECK(read_text(context, "2 1 2 2 2 4\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n0 0 : 2\n1 0 : .5\n1 1 : 3\n-1. .5 .25 0",
                    &file) == CAIRN_OK);
    cairn_problem_view v = cairn_problem_get(file.problem);
    CHECK(entry(v.H_start, v.H_index, v.H_value, 0, 1) == 0.5 && entry(v.H_start, v.H_index, v.H_value, 1, 0) == 0.5);
    CHECK(entry(v.H_start, v.H_index, v.H_value, 1, 1) == 3.0);
    cairn_file_clear(&file);
    CHECK(read_text(context,
                    "2 1  0 3 3 3 3 1 0 0 0 2 0 0 0 3  1 3 2  1 3 1  1 2 3  2  2 1  0 1  0  0 4. 5.  1. 2. 3. 0. 0. .5",
                    &file) == CAIRN_OK);
    v = cairn_problem_get(file.problem);
    CHECK(!file.local && entry(v.D_start, v.D_index, v.D_value, 0, 1) == 5.0 && v.D_start[2] == 2);
    cairn_file_clear(&file);
    CHECK(read_text(context,
                    "2\n0\n2\n2\n2\n1\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n1 1 : 2\n2\n2\n0\n2\n"
                    "CSparse Version 3.1.9\n2-by-0, nzmax: 1 nnz: 0, 1-norm: 0\n1.0e+00 2.0e+00 \n\n\n",
                    &file) == CAIRN_OK);
    v = cairn_problem_get(file.problem);
    CHECK(!file.local && v.n == 2 && v.m == 0 && v.k[1] == 2.0 && file.note == NULL);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

TEST(allocations_fail) {
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (int tries = 0; status != CAIRN_OK && tries < 300; tries++) {
        counting_allocator counter = {.fail_at = 1 + tries};
        cairn_context *context = counting_context(&counter, 1);
        char text[1024];
        snprintf(text, sizeof text, "%s1\n.5 .5\n.5 .5\n1 2 3 # all", global_dense);
        cairn_file file = {0};
        status = cairn_file_read_memory(context, text, strlen(text), "t.dat", &file);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        if (status == CAIRN_OK)
            cairn_file_clear(&file);
        CHECK(counter.live == 1);
        cairn_context_destroy(context);
    }
    CHECK(status == CAIRN_OK);
}

/* The answer alone, as `cairn check` reads it. */
TEST(solution) {
    const char *path = "test_io_siconos.tmp.dat";
    const char *const behind[] = {"1\n.5 -.5\n", "1\n", "1\n.5 nan"};
    cairn_context *context = plain_context(1);
    for (int k = 0; k < 3; k++) {
        FILE *stream = fopen(path, "wb");
        CHECK(stream != NULL && fprintf(stream, "%s%s", local_dense, behind[k]) > 0);
        fclose(stream);
        cairn_vectors vectors = {0};
        CHECK(cairn_solution_read(context, path, 0, 2, 0, &vectors) == (k == 0 ? CAIRN_OK : CAIRN_ERROR_PARSE));
        if (k == 0)
            CHECK(vectors.r != NULL && vectors.r[1] == -0.5 && vectors.u == NULL && vectors.v == NULL);
        else
            CHECK_CONTAINS(cairn_error_message(context), k == 1
                                                             ? "no answer behind the problem, expected a reaction"
                                                             : "no answer behind the problem: line 12: the reaction");
        cairn_vectors_clear(context, &vectors);
        CHECK(cairn_solution_read(context, path, 0, 4, 0, &vectors) == CAIRN_ERROR_PARSE);
        CHECK_CONTAINS(cairn_error_message(context), "0 velocities and 2 rows, expected 0 and 4");
    }
    remove(path);
    cairn_context_destroy(context);
}

/* All files that are there of Siconos' collection. */
TEST(collection) {
    static const struct {
        const char *name;
        int d, contacts, n;
    } files[] = {{"Capsules-i100-889", 3, 276, 0}, {"Confeti-ex03-Fc3D-SBM", 3, 54, 0},
                 {"FC3D_Example1_SBM", 3, 3, 0},   {"FrictionContactProblem00031", 2, 11, 0},
                 {"GFC3D_Example0", 3, 1, 9},      {"NESpheres_30_1", 3, 44, 0},
                 {"RockPile_tob1", 3, 463, 0},     {"Rover1039", 3, 4, 0},
                 {"Rover11035", 3, 1, 0},          {"fc2d_granularflowonwall_02020_00213", 2, 2020, 0}};
    cairn_context *context = plain_context(1);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char name[128], path[1024];
        snprintf(name, sizeof name, "siconos-text/%s.dat", files[k].name);
        if (!shared_path(name, path, sizeof path)) {
            SKIP("shared/fclib/siconos-text is absent");
            break;
        }
        cairn_file file = {0};
        CHECK(cairn_file_read(context, path, &file) == CAIRN_OK);
        if (file.problem == NULL) {
            printf("%s\n", cairn_error_message(context));
            continue;
        }
        cairn_problem_view v = cairn_problem_get(file.problem);
        CHECK(file.spacedim == files[k].d && file.contacts == files[k].contacts && v.n == files[k].n);
        CHECK(file.local == (v.n == 0) && file.note == NULL && file.solution.r == NULL && file.guesses == 0);
        cairn_file_clear(&file);
    }
    cairn_context_destroy(context);
}

int main(void) {
    RUN(flags);
    RUN(answers);
    RUN(notes);
    RUN(fortran);
    RUN(matrices);
    RUN(allocations_fail);
    RUN(solution);
    RUN(collection);
    return test_end();
}
