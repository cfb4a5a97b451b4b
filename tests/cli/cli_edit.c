/*
 * cli_edit.c: what the scripts cli_*.sh cannot do to a file with cairn itself. cli_edit WHAT IN OUT reads the FCLIB file IN and writes OUT:
 *
 *     guess       the solution becomes the first guess; no solution is left
 *     velocities  of the solution u alone is left
 *     unwritten   datasets of the solution and of a guess that were made and never written, as most published files have them
 *     rolling     under the name of a rolling friction problem
 *     text        Siconos text, 17 digits, dense matrices; equality rows, strings and vectors are lost
 */
#include <cairn/cairn.h>

#include <hdf5.h>

#include <stdio.h>
#include <string.h>

static int fail(const char *path, const char *why) {
    fprintf(stderr, "cli_edit: %s: %s\n", path, why);
    return 1;
}

static int write_vectors(cairn_context *context, const char *what, cairn_file *file, const char *path) {
    cairn_vectors solution = file->solution, only_u = {.u = solution.u};
    cairn_file edited = *file;
    if (solution.u == NULL || solution.r == NULL)
        return fail(path, "the file to edit has no solution");
    if (strcmp(what, "guess") == 0) {
        edited.solution = (cairn_vectors){0};
        edited.guess = &solution;
        edited.guesses = 1;
    } else {
        edited.solution = only_u;
    }
    return cairn_file_write(context, path, &edited) == CAIRN_OK ? 0 : fail(path, cairn_error_message(context));
}

/* A dataset of that many numbers under a path whose groups are made on the way; it stays unwritten without a value. */
static void add(hid_t file, const char *path, hid_t type, int count, const int *value) {
    hsize_t extent = (hsize_t)count;
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &extent, NULL);
    H5Pset_create_intermediate_group(links, 1);
    hid_t set = H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    if (value != NULL)
        H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(links);
}

static int write_unwritten(cairn_context *context, const cairn_file *file, const char *path) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    cairn_file edited = *file;
    edited.solution = (cairn_vectors){0};
    edited.guesses = 0;
    if (file->local || file->equalities > 0)
        return fail(path, "unwritten is made for global problems without equality rows");
    if (cairn_file_write(context, path, &edited) != CAIRN_OK)
        return fail(path, cairn_error_message(context));
    hid_t id = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const int one = 1;
    add(id, "/solution/v", H5T_IEEE_F64LE, view.n, NULL);
    add(id, "/solution/u", H5T_IEEE_F64LE, view.m, NULL);
    add(id, "/solution/r", H5T_IEEE_F64LE, view.m, NULL);
    add(id, "/guesses/number_of_guesses", H5T_STD_I32LE, 1, &one);
    add(id, "/guesses/1/r", H5T_IEEE_F64LE, view.m, NULL);
    return H5Fclose(id) < 0 ? fail(path, "not written") : 0;
}

static int write_rolling(cairn_context *context, const cairn_file *file, const char *path) {
    if (file->local)
        return fail(path, "rolling is made for global problems");
    if (cairn_file_write(context, path, file) != CAIRN_OK)
        return fail(path, cairn_error_message(context));
    hid_t id = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    herr_t moved = H5Lmove(id, "/fclib_global", id, "/fclib_global_rolling", H5P_DEFAULT, H5P_DEFAULT);
    return H5Fclose(id) < 0 || moved < 0 ? fail(path, "not written") : 0;
}

static void print_reals(FILE *out, const double *x, int count) {
    for (int i = 0; i < count; i++)
        fprintf(out, "%.17g%c", x[i], i + 1 < count ? ' ' : '\n');
}

/* Dense: a line is a column. */
static void print_matrix(FILE *out, int rows, int cols, const int *start, const int *index, const double *value) {
    fprintf(out, "0\n%d %d\n%d %d\n", rows, cols, rows, cols);
    for (int j = 0; j < cols; j++) {
        int e = start[j];
        for (int i = 0; i < rows; i++)
            fprintf(out, "%.17g%c", e < start[j + 1] && index[e] == i ? value[e++] : 0.0, i + 1 < rows ? ' ' : '\n');
    }
}

static int write_text(const cairn_file *file, const char *path) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    if (file->own || file->equalities > 0)
        return fail(path, "text holds contacts alone");
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return fail(path, "not written");
    int size = view.local ? view.m : view.n;
    fprintf(out, "%d\n%d\n", file->spacedim, file->contacts);
    print_matrix(out, size, size, view.H_start, view.H_index, view.H_value);
    if (!view.local) {
        print_matrix(out, view.n, view.m, view.D_start, view.D_index, view.D_value);
        print_reals(out, view.k, view.n);
    }
    print_reals(out, view.b, view.m);
    for (int i = 0; i < view.blocks; i++)
        print_reals(out, &view.block[i].mu, 1);
    return fclose(out) != 0 ? fail(path, "not written") : 0;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return fail("usage", "cli_edit guess|velocities|unwritten|rolling|text IN OUT");
    const char *what = argv[1], *out = argv[3];
    cairn_context *context = NULL;
    cairn_file file = {0};
    int code;
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return fail("context", "out of memory");
    if (cairn_file_read(context, argv[2], &file) != CAIRN_OK)
        code = fail(argv[2], cairn_error_message(context));
    else if (strcmp(what, "guess") == 0 || strcmp(what, "velocities") == 0)
        code = write_vectors(context, what, &file, out);
    else if (strcmp(what, "unwritten") == 0)
        code = write_unwritten(context, &file, out);
    else if (strcmp(what, "rolling") == 0)
        code = write_rolling(context, &file, out);
    else if (strcmp(what, "text") == 0)
        code = write_text(&file, out);
    else
        code = fail(what, "unknown");
    cairn_file_clear(&file);
    cairn_context_destroy(context);
    return code;
}
