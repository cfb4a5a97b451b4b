/* Reading FCLIB: values, encodings, layouts, extras, and the real files of the collection. */
#include "test_io_fixture.h"

#include <dirent.h>

TEST(global) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    hid_t image = image_begin();
    put_global(image);
    CHECK(read_image(context, image, &file) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(file.problem);
    CHECK(!file.local && file.spacedim == 3 && file.contacts == 2 && file.equalities == 0);
    CHECK(view.n == 4 && view.m == 6 && view.blocks == 2 && !view.unsymmetric && view.law == CAIRN_LAW_COULOMB);
    CHECK(H_of(&file, 0, 0) == 2.0 && H_of(&file, 0, 1) == 0.5 && H_of(&file, 2, 2) == 1.0 && H_of(&file, 0, 3) == 0.0);
    /* i holds rows and p columns, not the other way round as fclib.h says. */
    CHECK(D_of(&file, 2, 5) == 1.0 / 3.0 && D_of(&file, 0, 0) == 1.0 && D_of(&file, 1, 1) == -1.0);
    CHECK(D_of(&file, 3, 2) == 2.0 && D_of(&file, 3, 3) == 0.1 && D_of(&file, 0, 4) == -0.7);
    CHECK(memcmp(view.k, global_f, sizeof global_f) == 0 && memcmp(view.b, global_w, sizeof global_w) == 0);
    CHECK(view.block[0].set == CAIRN_SET_CONE && view.block[0].mu == 0.3 && view.block[1].mu == 0.0);
    CHECK(file.title == NULL && file.guesses == 0 && file.solution.r == NULL);
    cairn_file_clear(&file);
    CHECK(file.problem == NULL && open_handles() == 0);
    cairn_context_destroy(context);
}

TEST(global_equalities) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    hid_t image = image_begin();
    put_global(image);
    const int Gi[] = {3, 0}, Gp[] = {0, 2};
    const double Gx[] = {5.0, -6.0}, b[] = {0.75}, r[] = {1, 2, 3, 4, 5, 6}, l[] = {7}, v[] = {1, 2, 3, 4};
    put_matrix(image, "/fclib_global/G", 4, 1, -1, 2, Gi, Gp, 2, Gx);
    put_reals(image, "/fclib_global/vectors/b", b, 1);
    put_reals(image, "/solution/r", r, 6);
    put_reals(image, "/solution/u", r, 6);
    put_reals(image, "/solution/v", v, 4);
    put_reals(image, "/solution/l", l, 1);
    CHECK(read_image(context, image, &file) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(file.problem);
    CHECK(file.equalities == 1 && view.m == 7 && view.blocks == 3 && view.block[2].set == CAIRN_SET_BILATERAL);
    CHECK(D_of(&file, 3, 6) == 5.0 && D_of(&file, 0, 6) == -6.0 && D_of(&file, 2, 5) == 1.0 / 3.0 && view.b[6] == 0.75);
    CHECK(file.solution.r[5] == 6.0 && file.solution.r[6] == 7.0);
    CHECK(file.solution.u[5] == 6.0 && file.solution.u[6] == 0.0 && file.solution.v[3] == 4.0);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

/* Without l the impulses are incomplete, so r counts as absent. */
TEST(impulses_without_l) {
    cairn_context *context = plain_context(1);
    for (int k = 0; k < 2; k++) {
        const double r[] = {1, 2};
        cairn_file file = {0};
        hid_t image = image_begin();
        put_local(image, true);
        put_reals(image, "/solution/r", r, 2);
        put_reals(image, "/solution/u", r, 2);
        if (k == 1)
            put_unwritten(image, "/solution/l", 1);
        CHECK(read_image(context, image, &file) == CAIRN_OK);
        CHECK(file.solution.r == NULL && file.solution.u != NULL && file.solution.u[2] == 0.0);
        cairn_file_clear(&file);
    }
    cairn_context_destroy(context);
}

TEST(local_equalities) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    hid_t image = image_begin();
    put_local(image, true);
    CHECK(read_image(context, image, &file) == CAIRN_OK);
    cairn_problem_view view = cairn_problem_get(file.problem);
    CHECK(file.local && view.local && view.n == 0 && view.m == 3 && file.spacedim == 2 && file.contacts == 1);
    const double N[3][3] = {{2, 1, 1}, {1, 3, -1}, {1, -1, 4}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            CHECK(H_of(&file, i, j) == N[i][j]);
    CHECK(view.b[0] == -1.0 && view.b[1] == 0.25 && view.b[2] == 0.125 && view.block[0].dim == 2);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

/* The unsymmetric W = [2 1; 0 3] in the three encodings: a mix-up of rows and columns shows. */
TEST(encodings) {
    cairn_context *context = plain_context(1);
    for (int encoding = -2; encoding <= 0; encoding++) {
        const int rows[] = {0, 1, 1}, row_start[] = {0, 2, 3}; /* columns 0 1 | 1 */
        const int cols[] = {0, 0, 1}, col_start[] = {0, 1, 3}; /* rows 0 | 0 1 */
        const int ti[] = {1, 0, 0}, tp[] = {1, 1, 0};
        const double by_row[] = {2, 1, 3}, by_col[] = {2, 1, 3}, triplet[] = {3, 1, 2};
        hid_t image = image_begin();
        put_local(image, false);
        if (encoding == -2)
            put_matrix(image, "/fclib_local/W", 2, 2, -2, 3, rows, row_start, 3, by_row);
        else if (encoding == -1)
            put_matrix(image, "/fclib_local/W", 2, 2, -1, 3, cols, col_start, 3, by_col);
        else
            put_matrix(image, "/fclib_local/W", 2, 2, 3, 3, ti, tp, 3, triplet);
        cairn_file file = {0};
        CHECK(read_image(context, image, &file) == CAIRN_OK);
        CHECK(H_of(&file, 0, 0) == 2 && H_of(&file, 0, 1) == 1 && H_of(&file, 1, 0) == 0 && H_of(&file, 1, 1) == 3);
        CHECK(cairn_problem_get(file.problem).unsymmetric);
        cairn_file_clear(&file);
    }
    cairn_context_destroy(context);
}

/* Compressed arrays may be longer than the last start; the rest is not looked at. */
TEST(spare_room) {
    cairn_context *context = plain_context(1);
    const int i[] = {0, 1, 0, 1, 99, -5}, p[] = {0, 2, 4};
    const double x[] = {2, 1, 1, 3, 8, 9};
    hid_t image = image_begin();
    put_local(image, false);
    put_matrix(image, "/fclib_local/W", 2, 2, -2, 6, i, p, 3, x);
    cairn_file file = {0};
    CHECK(read_image(context, image, &file) == CAIRN_OK);
    CHECK(cairn_problem_get(file.problem).H_start[2] == 4 && H_of(&file, 1, 1) == 3.0);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

static const char disk_name[] = "test_io_fclib.tmp.hdf5";

/* A file of the newest version, behind a user block. */
static hid_t disk_begin(hsize_t user_block) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_userblock(creation, user_block);
    hid_t file = H5Fcreate(disk_name, H5F_ACC_TRUNC, creation, access);
    H5Pclose(access);
    H5Pclose(creation);
    return file;
}

/* Other integer and float types, byte orders, scalars, chunks, filters, the newest file version, user blocks. */
TEST(types_and_layouts) {
    cairn_context *context = plain_context(1);
    const hid_t ints[] = {H5T_STD_I64BE, H5T_STD_U8LE, H5T_STD_I16BE, H5T_STD_U64LE};
    const hid_t reals[] = {H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE, H5T_IEEE_F64LE};
    for (int k = 0; k < 4; k++) {
        const int i[] = {0, 1, 0, 1}, p[] = {0, 2, 4}, two = 2;
        const double x[] = {2, 1, 1, 3};
        hsize_t four = 4, three = 3, chunk = 3;
        hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(creation, 1, &chunk);
        H5Pset_shuffle(creation);
        H5Pset_deflate(creation, 6);
        H5Pset_fletcher32(creation);
        hid_t image = k < 2 ? image_begin() : disk_begin(k == 3 ? 512 : 0);
        put_local(image, false);
        put(image, "/fclib_local/spacedim", ints[k], H5T_NATIVE_INT, 0, NULL, H5P_DEFAULT, &two);
        put(image, "/fclib_local/W/i", ints[k], H5T_NATIVE_INT, 1, &four, creation, i);
        put(image, "/fclib_local/W/p", ints[k], H5T_NATIVE_INT, 1, &three, H5P_DEFAULT, p);
        put(image, "/fclib_local/W/x", reals[k], H5T_NATIVE_DOUBLE, 1, &four, creation, x);
        H5Pclose(creation);
        const char *title = "of variable length";
        hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        put(image, "/fclib_local/info/title", type, type, 0, NULL, H5P_DEFAULT, &title);
        H5Tclose(type);
        cairn_file file = {0};
        if (k >= 2)
            H5Fclose(image);
        cairn_status status = k < 2 ? read_image(context, image, &file) : cairn_file_read(context, disk_name, &file);
        CHECK(status == CAIRN_OK);
        CHECK(file.problem != NULL && H_of(&file, 0, 1) == 1.0 && H_of(&file, 1, 1) == 3.0);
        CHECK(file.title != NULL && strcmp(file.title, "of variable length") == 0);
        cairn_file_clear(&file);
        CHECK(open_handles() == 0);
    }
    remove(disk_name);
    cairn_context_destroy(context);
}

TEST(info_solution_guesses) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    hid_t image = image_begin();
    put_global(image);
    const double u[] = {1, 2, 3, 4, 5, 6};
    put_text(image, "/fclib_global/info/title", "a title");
    put_text(image, "/fclib_global/info/math_info", "");
    const char *variable = "of variable length";
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    put(image, "/fclib_global/info/description", type, type, 0, NULL, H5P_DEFAULT, &variable);
    H5Tclose(type);
    put_unwritten(image, "/solution/r", 6);
    put_unwritten(image, "/solution/v", 4);
    put_reals(image, "/solution/u", u, 6);
    put_int(image, "/guesses/number_of_guesses", 2);
    put_reals(image, "/guesses/1/r", u, 6);
    put_unwritten(image, "/guesses/1/v", 4);
    put_reals(image, "/guesses/2/u", u, 6);
    CHECK(read_image(context, image, &file) == CAIRN_OK);
    CHECK(file.title != NULL && strcmp(file.title, "a title") == 0);
    CHECK(file.description != NULL && strcmp(file.description, "of variable length") == 0);
    CHECK(file.math_info != NULL && strcmp(file.math_info, "") == 0);
    CHECK(file.solution.r == NULL && file.solution.v == NULL && file.solution.u != NULL && file.solution.u[5] == 6.0);
    CHECK(file.guesses == 2 && file.guess[0].r[5] == 6.0 && file.guess[0].v == NULL && file.guess[0].u == NULL);
    CHECK(file.guess[1].r == NULL && file.guess[1].u[0] == 1.0);
    cairn_file_clear(&file);
    CHECK(open_handles() == 0);
    cairn_context_destroy(context);
}

/* Reading fails: the outputs stay as they were, and the application's error printing too. */
static herr_t print_nothing(hid_t stack, void *user) {
    (void)stack;
    (void)user;
    return 0;
}

TEST(state_is_kept) {
    cairn_context *context = plain_context(1);
    int mark = 0;
    H5E_auto2_t before;
    void *before_user;
    H5Eget_auto2(H5E_DEFAULT, &before, &before_user);
    H5Eset_auto2(H5E_DEFAULT, print_nothing, &mark);
    cairn_file file = {.spacedim = 77};
    CHECK(cairn_file_read(context, "/no/such/file", &file) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(context), "/no/such/file: cannot be opened: No such file");
    CHECK(file.spacedim == 77);
    hid_t image = image_begin();
    put_global(image);
    put_int(image, "/fclib_global/spacedim", 4);
    CHECK(read_image(context, image, &file) == CAIRN_ERROR_PARSE && file.spacedim == 77);
    H5E_auto2_t after;
    void *after_user;
    H5Eget_auto2(H5E_DEFAULT, &after, &after_user);
    CHECK(after == print_nothing && after_user == &mark);
    H5Eset_auto2(H5E_DEFAULT, before, before_user);
    CHECK(cairn_file_read(context, "/tmp", &file) == CAIRN_ERROR_IO);
    CHECK(cairn_file_read(context, NULL, &file) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_file_read_memory(context, NULL, 3, "x", &file) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_file_read_memory(context, "", 0, "nothing", &file) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "nothing: empty");
    cairn_file_clear(NULL);
    cairn_vectors_clear(context, NULL);
    cairn_context_destroy(context);
}

typedef struct sample {
    const char *name;
    bool local;
    int n, m, contacts, guesses;
    const char *title;
} sample;

TEST(collection) {
    const sample samples[] = {
        {"others/Capsules-i125-1213.hdf5", true, 0, 858, 286, 1, "Capsules"},
        {"others/CubeH8.hdf5", false, 162, 3, 1, 0, "LMGC dump in hdf5"},
        {"others/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5", true, 0, 180, 60, 0, "LMGC dump in hdf5"},
        {"others/LMGC_GlobalFrictionContactProblem00046.hdf5", false, 162, 27, 9, 0, "LMGC dump in hdf5"},
        {"box_stacks/Box_Stacks-i0035-31-0.hdf5", false, 450, 93, 31, 1, "Box_stacks"},
        {"box_stacks/Box_Stacks-i1000-548-40.hdf5", false, 450, 1644, 548, 1, "Box_stacks"},
    };
    char path[1024];
    cairn_context *context = plain_context(1);
    if (!shared_path(samples[0].name, path, sizeof path)) {
        SKIP("shared/fclib test data is absent");
        cairn_context_destroy(context);
        return;
    }
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        const sample *s = &samples[k];
        cairn_file file = {0};
        CHECK(shared_path(s->name, path, sizeof path));
        cairn_status status = cairn_file_read(context, path, &file);
        CHECK(status == CAIRN_OK);
        if (status != CAIRN_OK) {
            printf("%s\n", cairn_error_message(context));
            continue;
        }
        cairn_problem_view view = cairn_problem_get(file.problem);
        CHECK(file.local == s->local && view.n == s->n && view.m == s->m && file.contacts == s->contacts);
        CHECK(file.guesses == s->guesses && file.spacedim == 3 && file.equalities == 0);
        CHECK(strcmp(file.title, s->title) == 0);
        /* Never written, although the dataset exists. */
        CHECK(file.solution.r == NULL && file.solution.v == NULL && (file.solution.u != NULL) == (s->guesses == 1));
        if (s->guesses == 1)
            CHECK(file.guess[0].r != NULL && file.guess[0].v == NULL);
        cairn_file_clear(&file);
    }
    cairn_file file = {0};
    CHECK(shared_path("others/Chute-ndof-768-nc-4-3.hdf5", path, sizeof path));
    CHECK(cairn_file_read(context, path, &file) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(context), "rolling friction");
    CHECK(open_handles() == 0);
    cairn_context_destroy(context);
}

/* Every box stack: the file name says how many contacts. */
TEST(box_stacks) {
    char path[1024];
    if (!shared_path("box_stacks/Box_Stacks-i0035-31-0.hdf5", path, sizeof path)) {
        SKIP("shared/fclib test data is absent");
        return;
    }
    cairn_context *context = plain_context(1);
    *strrchr(path, '/') = '\0';
    DIR *directory = opendir(path);
    int seen = 0;
    for (struct dirent *item; directory != NULL && (item = readdir(directory)) != NULL;) {
        int iterations, contacts, step;
        if (sscanf(item->d_name, "Box_Stacks-i%d-%d-%d.hdf5", &iterations, &contacts, &step) != 3)
            continue;
        char name[2048];
        snprintf(name, sizeof name, "%s/%s", path, item->d_name);
        cairn_file file = {0};
        CHECK(cairn_file_read(context, name, &file) == CAIRN_OK && file.contacts == contacts);
        CHECK(file.problem != NULL && cairn_problem_get(file.problem).n == 450);
        cairn_file_clear(&file);
        seen++;
    }
    if (directory != NULL)
        closedir(directory);
    CHECK(seen > 0);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(global);
    RUN(global_equalities);
    RUN(impulses_without_l);
    RUN(local_equalities);
    RUN(encodings);
    RUN(spare_room);
    RUN(types_and_layouts);
    RUN(info_solution_guesses);
    RUN(state_is_kept);
    RUN(collection);
    RUN(box_stacks);
    return test_end();
}
