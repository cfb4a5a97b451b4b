/* Siconos' text files: the three kinds of matrices, global and local, and texts that are wrong. */
#include "support/support.h"

#include <locale.h>

static cairn_status read_text(cairn_context *context, const char *text, cairn_file *file) {
    /* A copy without a NUL, so that reading past the end shows. */
    size_t size = strlen(text);
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    char *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, copy, size);
    free(copy);
    cairn_status status = cairn_file_read_memory(context, exact, size, "t.dat", file);
    free(exact);
    return status;
}

static double at(const cairn_file *file, int row, int col) {
    cairn_problem_view v = cairn_problem_get(file->problem);
    for (int e = v.H_start[col]; e < v.H_start[col + 1]; e++)
        if (v.H_index[e] == row)
            return v.H_value[e];
    return 0.0;
}

static double jacobian(const cairn_file *file, int row, int col) {
    cairn_problem_view v = cairn_problem_get(file->problem);
    for (int e = v.D_start[col]; e < v.D_start[col + 1]; e++)
        if (v.D_index[e] == row)
            return v.D_value[e];
    return 0.0;
}

/* W = [2 1; 0 3] (column by column: 2 0 1 3), q = (-1, 0.5), mu = 0.25, in each storage. The block text has two blocks of one row each. */
static const char *const local_texts[] = {
    "2\n1\n0\n2\n2\n2\t2\n2.0 0.0\n 1.0e+00 3.\n-1 5e-1\n0.25\n",
    "2 1 1 2 2  2 2 1  1 2  2  3 2  0 1 2  0 0  0 2 1  1 0 3  -1 .5 .25",
    "2\n1\n2\n2\n2\n1\nCXSparse Version 3.1.4, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016\n"
    "triplet: 2-by-2, nzmax: 8 nnz: 3\n    1 1 : 3\n    0 0 : 2\n    0 1 : 1\n-1 0.5\n0.25\n",
    "2\n1\n2\n2\n2\n2\nCSparse Version 3.1.4, May 4, 2016.  Copyright (c) Timothy A. Davis\n"
    "2-by-2, nzmax: 8 nnz: 3, 1-norm: 4\n    col 0 : locations 0 to 0\n      0 : 2\n"
    "    col 1 : locations 1 to 2\n      1 : 3\n      0 : 1\n-1 0.5\n0.25\n",
};

TEST(local) {
    cairn_context *context = plain_context(1);
    for (int k = 0; k < 4; k++) {
        cairn_file file = {0};
        cairn_status status = read_text(context, local_texts[k], &file);
        CHECK(status == CAIRN_OK);
        if (status != CAIRN_OK) {
            printf("%d: %s\n", k, cairn_error_message(context));
            continue;
        }
        cairn_problem_view v = cairn_problem_get(file.problem);
        CHECK(file.local && file.spacedim == 2 && file.contacts == 1 && v.m == 2 && file.equalities == 0);
        CHECK(at(&file, 0, 0) == 2.0 && at(&file, 0, 1) == 1.0 && at(&file, 1, 0) == 0.0 && at(&file, 1, 1) == 3.0);
        CHECK(v.b[0] == -1.0 && v.b[1] == 0.5 && v.block[0].mu == 0.25);
        cairn_file_clear(&file);
    }
    cairn_context_destroy(context);
}

/* n = 2, one contact in 2D with H not square when n = 3: columns first shows. */
TEST(global) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    const char *text = "2 1\n 2 3 3 1\n triplet: 3-by-3, nzmax: 3 nnz: 3\n 0 0 : 1\n 1 1 : 2\n 2 2 : 3\n"
                       "0 3 2 3 2\n 1 2 3\n 4 5 6\n  10 20 30  -1 -2  0.5";
    CHECK(read_text(context, text, &file) == CAIRN_OK);
    cairn_problem_view v = cairn_problem_get(file.problem);
    CHECK(!file.local && v.n == 3 && v.m == 2 && file.contacts == 1);
    CHECK(at(&file, 2, 2) == 3.0 && jacobian(&file, 1, 0) == 2.0 && jacobian(&file, 0, 1) == 4.0);
    CHECK(jacobian(&file, 2, 1) == 6.0 && v.k[2] == 30.0 && v.b[1] == -2.0 && v.block[0].mu == 0.5);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

/* A global problem whose M has the size of a W, so that only the length of the text decides. */
TEST(square_either_way) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    CHECK(read_text(context, "2 1  0 2 2 2 2 1 0 0 1  0 2 2 2 2 1 0 0 1  1 2  3 4  0.5", &file) == CAIRN_OK);
    CHECK(!file.local && cairn_problem_get(file.problem).n == 2);
    cairn_file_clear(&file);
    CHECK(read_text(context, "2 1  0 2 2 2 2 1 0 0 1  0 2  2", &file) == CAIRN_OK);
    CHECK(file.local && cairn_problem_get(file.problem).b[1] == 2.0);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

typedef struct bad_text {
    const char *text, *message;
    cairn_status status;
} bad_text;

TEST(bad) {
    const bad_text texts[] = {
        {"hello", "line 1: neither an HDF5 signature nor Siconos text: found hello", CAIRN_ERROR_PARSE},
        {" \n ", "an empty file", CAIRN_ERROR_PARSE},
        {"\n5 1", "line 2: dimension 5: a rolling friction problem", CAIRN_ERROR_UNSUPPORTED},
        {"4 1", "found 4, expected the dimension 2 or 3", CAIRN_ERROR_PARSE},
        {"3", "number of contacts: found the end of the file", CAIRN_ERROR_PARSE},
        {"3 -1", "number of contacts: found -1", CAIRN_ERROR_PARSE},
        {"3 1e3", "number of contacts: found 1e3", CAIRN_ERROR_PARSE},
        {"3 2147483647", "number of contacts: found 2147483647", CAIRN_ERROR_PARSE},
        {"3 99999999999999999999", "number of contacts", CAIRN_ERROR_PARSE},
        {"2 1 3", "storage of a matrix: found 3", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 3", "columns of the dense matrix: found 3", CAIRN_ERROR_PARSE},
        {"2 1 0 50000 50000 50000 50000 1", "2500000000 values announced", CAIRN_ERROR_PARSE},
        {"2 1\n0 2 2 2 2 1 0\n0 nan", "line 3: the first matrix: found nan, expected a finite", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 inf", "found inf", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 1e999", "found 1e999", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 0x10", "found 0x10", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 1,5", "found 1,5", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 1 -1 0.5", "not a local problem (line 1: mu: found the end", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 1 0 2 2 2 2 1 0 0", "not a local problem (line 1: found 2, expected the end of the file)",
         CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 1\n0 2 2 2 2 1 0", "not a global one (line 2: H: 4 values announced", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 1 -1 0.5 -.1", "mu: found -.1, expected 0 or more", CAIRN_ERROR_PARSE},
        {"2 2 0 2 2 2 2 1 0 0 1 0 1 1 0 0", "W is 2 x 2, expected 4 x 4", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 1 0 0 1 0 3 2 3 2 1 1 1 1 1 1", "H is 3 x 2, expected 2 x 2", CAIRN_ERROR_PARSE},
        {"2 1 0 2 2 2 2 -1 0 0 1 -1 0.5 .1", "t.dat: N[0,0] is -1", CAIRN_ERROR_PARSE},
        {"2 1 2 4 2 3 CSparse x\n4-by-2, nzmax: 1 nnz: 1, 1-norm: 1",
         "line 2: the first matrix, 4 x 2, was printed from compressed rows", CAIRN_ERROR_UNSUPPORTED},
        {"2 1 2 2 2 4 CSparse x\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1", "one triangle", CAIRN_ERROR_UNSUPPORTED},
        {"2 1 2 2 2 4\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n0 0 : 1\n0 1 : 1\n1 0 : 1\n",
         "line 5: the first matrix: entry 1 0, expected all in one triangle", CAIRN_ERROR_PARSE},
        {"2 1 2 2 2 4\n(null)\n1 1 .5", "line 2: the first matrix: found (null)", CAIRN_ERROR_PARSE},
        {"3 1\n0 3 3 3 3 1 0 0 0 1 0 0 0 1\n-1 0 0\n.5\n.1", "line 5: 1 more coefficients behind mu: a rolling",
         CAIRN_ERROR_UNSUPPORTED},
        {"2 1 2 2 2 1\ntriplet: 2-by-3, nzmax: 1 nnz: 1", "found 2-by-3,, expected 2-by-2,", CAIRN_ERROR_PARSE},
        {"2 1 2 2 2 1\ntriplet: 2-by-2, nzmax: 1 nnz: 2147483647", "values announced", CAIRN_ERROR_PARSE},
        {"2 1 2 2 2 1\ntriplet: 2-by-2, nzmax: 1 nnz: 1e+06", "nnz: found 1e+06", CAIRN_ERROR_PARSE},
        {"2 1 2 2 2 1\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n2 0 : 5", "row of an entry: found 2", CAIRN_ERROR_PARSE},
        {"2 1 2 2 2 1\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 0 5", "found 5, expected :", CAIRN_ERROR_PARSE},
        {"2 1 2 2 2 2\n2-by-2, nzmax: 1 nnz: 3, 1-norm: 1\ncol 0 : locations 0 to 3", "last location: found 3",
         CAIRN_ERROR_PARSE},
        {"2 1 2 2 2 2\n2-by-2, nzmax: 1 nnz: 1, 1-norm: 1\ncol 0 : locations 0 to -1\ncol 1 : locations 0 to -1\n",
         "0 entries in the columns, expected nnz = 1", CAIRN_ERROR_PARSE},
        {"2 1 1 2 2  2 2 1  2 1", "row ends of the blocks: found 1", CAIRN_ERROR_PARSE},
        {"2 1 1 2 2  2 2 1  1 2  2  4 2", "filled1", CAIRN_ERROR_PARSE},
        {"2 1 1 2 2  2 2 1  1 2  2  3 2  0 3 2", "row starts of the blocks: found 3", CAIRN_ERROR_PARSE},
        {"2 1 1 2 2  2 2 1  1 2  2  3 2  1 1 2  0 0", "begin with 1", CAIRN_ERROR_PARSE},
        {"2 1 1 2 2  2 2 1  1 2  2  3 2  0 1 2  0 1", "column of a block: found 1", CAIRN_ERROR_PARSE},
        {"2 1 1 2 2  2 2 1  1 2  2  3 2  0 1 2  0 0  1 2 1", "number of a block: found 1", CAIRN_ERROR_PARSE},
        {"2 1 1 2 2  2 2147483646 1  1 2", "row ends of the blocks: 2147483646 values announced", CAIRN_ERROR_PARSE},
        {"2 1 1 2 2  0 0 0", "0 x 0 blocks for a matrix of 2 x 2", CAIRN_ERROR_PARSE},
        {"2 1234567890123456789012345678901234567890123456789012345678901234567890", "a word of more than 63",
         CAIRN_ERROR_PARSE},
        {"\x89HDF\r\n\x1a", "found ?HDF, expected the dimension", CAIRN_ERROR_PARSE},
    };
    counting_allocator counter = {.fail_at = -1};
    cairn_context *context = counting_context(&counter, 1);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        cairn_file file = {0};
        CHECK(read_text(context, texts[k].text, &file) == texts[k].status);
        CHECK_CONTAINS(cairn_error_message(context), texts[k].message);
        CHECK(strncmp(cairn_error_message(context), "t.dat: ", 7) == 0);
        CHECK(counter.live == 1 && file.problem == NULL);
    }
    cairn_context_destroy(context);
}

/* Every prefix of every good text is refused or, at the last digits, read. */
TEST(prefixes) {
    cairn_context *context = plain_context(1);
    for (int k = 0; k < 4; k++) {
        size_t size = strlen(local_texts[k]);
        for (size_t length = 0; length < size; length++) {
            char *cut = calloc(length + 1, 1);
            memcpy(cut, local_texts[k], length);
            cairn_file file = {0};
            cairn_status status = read_text(context, cut, &file);
            CHECK(status == CAIRN_ERROR_PARSE || (status == CAIRN_OK && length + 5 > size));
            if (status == CAIRN_OK)
                cairn_file_clear(&file);
            free(cut);
        }
    }
    cairn_context_destroy(context);
}

TEST(allocations_fail) {
    for (int k = 0; k < 4; k++) {
        cairn_status status = CAIRN_ERROR_MEMORY;
        for (int tries = 0; status != CAIRN_OK && tries < 200; tries++) {
            counting_allocator counter = {.fail_at = 1 + tries};
            cairn_context *context = counting_context(&counter, 1);
            cairn_file file = {0};
            status = read_text(context, local_texts[k], &file);
            CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            if (status == CAIRN_OK)
                cairn_file_clear(&file);
            CHECK(counter.live == 1);
            cairn_context_destroy(context);
        }
        CHECK(status == CAIRN_OK);
    }
}

/* From a file, and with a comma as the decimal point of the application's locale where there is such a locale. */
TEST(from_file) {
    const char *path = "test_io_text.tmp.dat";
    cairn_context *context = plain_context(1);
    setlocale(LC_ALL, "de_DE.UTF-8");
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL && fputs(local_texts[0], stream) >= 0);
    fclose(stream);
    cairn_file file = {0};
    CHECK(cairn_file_read(context, path, &file) == CAIRN_OK);
    CHECK(file.problem != NULL && cairn_problem_get(file.problem).block[0].mu == 0.25);
    cairn_file_clear(&file);
    setlocale(LC_ALL, "C");
    remove(path);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(local);
    RUN(global);
    RUN(square_either_way);
    RUN(bad);
    RUN(prefixes);
    RUN(allocations_fail);
    RUN(from_file);
    return test_end();
}
