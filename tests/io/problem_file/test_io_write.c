/* Writing FCLIB: what is read back has the same bits; a failed write leaves the old file; what FCLIB lacks takes another form. */
#define _POSIX_C_SOURCE 200809L

#include "test_io_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char directory[] = "/tmp/cairn-io-XXXXXX";
static char target[64];

static int files_in(const char *path) {
    int count = 0;
    DIR *opened = opendir(path);
    for (struct dirent *item; opened != NULL && (item = readdir(opened)) != NULL;)
        count += item->d_name[0] != '.';
    if (opened != NULL)
        closedir(opened);
    return count;
}

static bool same(const void *a, const void *b, size_t bytes) {
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool same_vector(const double *a, const double *b, int count) {
    return (a == NULL) == (b == NULL) && (a == NULL || same(a, b, (size_t)count * sizeof *a));
}

static bool same_text(const char *a, const char *b) {
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static void check_same(const cairn_file *a, const cairn_file *b) {
    cairn_problem_view p = cairn_problem_get(a->problem), q = cairn_problem_get(b->problem);
    CHECK(a->local == b->local && a->spacedim == b->spacedim && a->contacts == b->contacts);
    CHECK(a->equalities == b->equalities && p.n == q.n && p.m == q.m && p.blocks == q.blocks && p.local == q.local);
    int cols = p.local ? p.m : p.n;
    CHECK(same(p.H_start, q.H_start, (size_t)(cols + 1) * sizeof(int)));
    CHECK(same(p.H_index, q.H_index, (size_t)p.H_start[cols] * sizeof(int)));
    CHECK(same(p.H_value, q.H_value, (size_t)p.H_start[cols] * sizeof(double)));
    if (!p.local) {
        CHECK(same(p.D_start, q.D_start, (size_t)(p.m + 1) * sizeof(int)));
        CHECK(same(p.D_index, q.D_index, (size_t)p.D_start[p.m] * sizeof(int)));
        CHECK(same(p.D_value, q.D_value, (size_t)p.D_start[p.m] * sizeof(double)));
    }
    CHECK(same(p.k, q.k, (size_t)p.n * sizeof(double)) && same(p.b, q.b, (size_t)p.m * sizeof(double)));
    for (int k = 0; k < p.blocks; k++)
        CHECK(p.block[k].set == q.block[k].set && p.block[k].dim == q.block[k].dim && p.block[k].mu == q.block[k].mu);
    CHECK(same_text(a->title, b->title) && same_text(a->description, b->description));
    CHECK(same_text(a->math_info, b->math_info) && a->guesses == b->guesses);
    for (int k = -1; k < a->guesses && a->guesses == b->guesses; k++) {
        const cairn_vectors *x = k < 0 ? &a->solution : &a->guess[k], *y = k < 0 ? &b->solution : &b->guess[k];
        CHECK(same_vector(x->v, y->v, p.n) && same_vector(x->u, y->u, p.m) && same_vector(x->r, y->r, p.m));
    }
}

/* 0: global 3D, 1: with equality row and everything else, 2: local 2D, 3: with equality row, 4: unsymmetric W. */
static hid_t variant_image(int variant) {
    const double r[] = {1, 2, 3, 4, 5, 1.0 / 7.0}, l[] = {7e-200};
    const int Gi[] = {3, 0}, Gp[] = {0, 2};
    const double Gx[] = {5.0, -6.0};
    hid_t image = image_begin();
    if (variant < 2)
        put_global(image);
    else
        put_local(image, variant == 3);
    if (variant == 1) {
        put_matrix(image, "/fclib_global/G", 4, 1, -1, 2, Gi, Gp, 2, Gx);
        put_reals(image, "/fclib_global/vectors/b", r, 1);
        put_text(image, "/fclib_global/info/title", "a title");
        put_text(image, "/fclib_global/info/description", "");
        put_reals(image, "/solution/r", r, 6);
        put_reals(image, "/solution/u", r, 6);
        put_reals(image, "/solution/v", r, 4);
        put_reals(image, "/solution/l", l, 1);
        put_int(image, "/guesses/number_of_guesses", 2);
        put_reals(image, "/guesses/1/u", r, 6);
        put_unwritten(image, "/guesses/2/r", 6);
    }
    if (variant == 3) {
        put_reals(image, "/solution/r", r, 2);
        put_reals(image, "/solution/l", l, 1);
        put_text(image, "/fclib_local/info/math_info", "plane");
    }
    if (variant == 4) {
        const int i[] = {0, 0, 1}, p[] = {0, 1, 3};
        const double x[] = {2.0, 1.0 / 3.0, 3.0};
        put_matrix(image, "/fclib_local/W", 2, 2, -2, 3, i, p, 3, x);
    }
    return image;
}

TEST(round_trips) {
    cairn_context *context = plain_context(1);
    for (int variant = 0; variant < 5; variant++) {
        cairn_file first = {0}, second = {0};
        CHECK(read_image(context, variant_image(variant), &first) == CAIRN_OK);
        CHECK(cairn_file_write(context, target, &first) == CAIRN_OK);
        CHECK(cairn_file_read(context, target, &second) == CAIRN_OK);
        if (first.problem != NULL && second.problem != NULL)
            check_same(&first, &second);
        CHECK(cairn_problem_get(second.problem).unsymmetric == (variant == 4));
        /* Onto the path it was read from. */
        CHECK(cairn_file_write(context, target, &second) == CAIRN_OK);
        cairn_file_clear(&second);
        CHECK(cairn_file_read(context, target, &second) == CAIRN_OK);
        check_same(&first, &second);
        CHECK(files_in(directory) == 1 && open_handles() == 0);
        cairn_file_clear(&first);
        cairn_file_clear(&second);
    }
    cairn_context_destroy(context);
}

/* The bytes that another FCLIB reader relies on. */
TEST(layout) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    CHECK(read_image(context, variant_image(1), &file) == CAIRN_OK);
    CHECK(cairn_file_write(context, target, &file) == CAIRN_OK);
    unsigned char head[16];
    FILE *stream = fopen(target, "rb");
    CHECK(stream != NULL && fread(head, 1, 16, stream) == 16 && head[8] == 0);
    fclose(stream);
    hid_t id = H5Fopen(target, H5F_ACC_RDONLY, H5P_DEFAULT);
    const char *ints[] = {"/fclib_global/M/nz", "/fclib_global/H/p", "/fclib_global/G/i", "/fclib_global/spacedim"};
    for (int k = 0; k < 4; k++) {
        hid_t set = H5Dopen2(id, ints[k], H5P_DEFAULT), type = H5Dget_type(set), space = H5Dget_space(set);
        CHECK(H5Tequal(type, H5T_STD_I32LE) > 0 && H5Sget_simple_extent_ndims(space) == 1);
        H5Sclose(space);
        H5Tclose(type);
        H5Dclose(set);
    }
    int nz = 0, columns[6], rows[6];
    hid_t set = H5Dopen2(id, "/fclib_global/H/nz", H5P_DEFAULT);
    H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &nz);
    H5Dclose(set);
    CHECK(nz == 6);
    set = H5Dopen2(id, "/fclib_global/H/p", H5P_DEFAULT);
    H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns);
    H5Dclose(set);
    set = H5Dopen2(id, "/fclib_global/H/i", H5P_DEFAULT);
    H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows);
    H5Dclose(set);
    CHECK(columns[5] == 5 && rows[5] == 2 && columns[0] == 0 && rows[0] == 0);
    H5Fclose(id);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

/* All bytes of a file; the caller frees them. */
static char *bytes_of(const char *path, long *size) {
    FILE *stream = fopen(path, "rb");
    CHECK(stream != NULL && fseek(stream, 0, SEEK_END) == 0);
    *size = ftell(stream);
    rewind(stream);
    char *bytes = malloc((size_t)*size);
    CHECK(bytes != NULL && fread(bytes, 1, (size_t)*size, stream) == (size_t)*size);
    fclose(stream);
    return bytes;
}

/* The same problem a second later gives the same bytes, global and local. */
TEST(same_bytes_later) {
    cairn_context *context = plain_context(1);
    char *before[2];
    long size[2], later = 0;
    cairn_file file[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++) {
        CHECK(read_image(context, variant_image(1 + 2 * k), &file[k]) == CAIRN_OK);
        CHECK(cairn_file_write(context, target, &file[k]) == CAIRN_OK);
        before[k] = bytes_of(target, &size[k]);
    }
    sleep(1);
    for (int k = 0; k < 2; k++) {
        CHECK(cairn_file_write(context, target, &file[k]) == CAIRN_OK);
        char *after = bytes_of(target, &later);
        CHECK(later == size[k] && same(before[k], after, (size_t)later));
        free(after);
        free(before[k]);
        cairn_file_clear(&file[k]);
    }
    cairn_context_destroy(context);
}

TEST(solution_read) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    CHECK(read_image(context, variant_image(1), &file) == CAIRN_OK);
    CHECK(cairn_file_write(context, target, &file) == CAIRN_OK);
    cairn_vectors vectors = {0};
    CHECK(cairn_solution_read(context, target, 4, 7, 1, &vectors) == CAIRN_OK);
    CHECK(vectors.r != NULL && vectors.r[5] == 1.0 / 7.0 && vectors.r[6] == 7e-200 && vectors.v[3] == 4.0);
    cairn_vectors_clear(context, &vectors);
    CHECK(vectors.r == NULL);
    CHECK(cairn_solution_read(context, target, 5, 7, 1, &vectors) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "/solution/v: 4 entries, expected 5");
    CHECK(cairn_solution_read(context, target, 4, 9, 0, &vectors) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "/solution/u: 6 entries, expected 9");
    CHECK(cairn_solution_read(context, target, 4, 7, 8, &vectors) == CAIRN_ERROR_ARGUMENT);
    cairn_vectors_clear(context, &file.solution);
    CHECK(cairn_file_write(context, target, &file) == CAIRN_OK);
    CHECK(cairn_solution_read(context, target, 4, 7, 1, &vectors) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "/solution: missing");
    hid_t id = H5Fopen(target, H5F_ACC_RDWR, H5P_DEFAULT);
    put_unwritten(id, "/solution/r", 6);
    put_unwritten(id, "/solution/l", 1);
    H5Fclose(id);
    CHECK(cairn_solution_read(context, target, 4, 7, 1, &vectors) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "/solution: no values");
    CHECK(vectors.r == NULL && vectors.u == NULL && vectors.v == NULL);
    CHECK(cairn_solution_read(context, "/no/such", 4, 7, 1, &vectors) == CAIRN_ERROR_IO);
    cairn_file_clear(&file);
    FILE *stream = fopen(target, "wb");
    fputs("3 1 0", stream);
    fclose(stream);
    CHECK(cairn_solution_read(context, target, 4, 7, 1, &vectors) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "line 1: rows of a matrix: found the end of the file");
    CHECK(open_handles() == 0);
    cairn_context_destroy(context);
}

TEST(bad_paths) {
    cairn_context *context = plain_context(1);
    cairn_file file = {0};
    CHECK(read_image(context, variant_image(0), &file) == CAIRN_OK);
    CHECK(cairn_file_write(context, "/no/such/directory/x.hdf5", &file) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(context),
                   "/no/such/directory/x.hdf5: cannot be written: there is no folder '/no/such/directory'");
    CHECK(cairn_file_write(context, directory, &file) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(context), "it is a folder");
    CHECK(cairn_file_write(context, "/dev/null", &file) == CAIRN_ERROR_IO);
    CHECK(cairn_file_write(context, NULL, &file) == CAIRN_ERROR_ARGUMENT);
    cairn_file empty = {0};
    CHECK(cairn_file_write(context, target, &empty) == CAIRN_ERROR_ARGUMENT);
    if (geteuid() != 0) {
        chmod(directory, 0500);
        CHECK(cairn_file_write(context, target, &file) == CAIRN_ERROR_IO);
        chmod(directory, 0700);
    }
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

/* Memory runs out at each allocation in turn: the old file keeps its contents and nothing is left beside it. */
static void write_without_memory(cairn_context *plain, const cairn_file *old, int variant) {
    cairn_status status = CAIRN_ERROR_MEMORY;
    int tries = 0;
    CHECK(cairn_file_write(plain, target, old) == CAIRN_OK);
    chmod(target, 0640);
    for (; status != CAIRN_OK && tries < 100; tries++) {
        counting_allocator counter = {.fail_at = -1};
        cairn_context *context = counting_context(&counter, 1);
        cairn_file file = {0}, back = {0};
        CHECK(read_image(context, variant_image(variant), &file) == CAIRN_OK);
        int live = counter.live;
        counter.fail_at = counter.allocations + tries;
        status = cairn_file_write(context, target, &file);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        CHECK(counter.live == live && files_in(directory) == 1 && open_handles() == 0);
        CHECK(cairn_file_read(plain, target, &back) == CAIRN_OK);
        check_same(status == CAIRN_OK ? &file : old, &back);
        cairn_file_clear(&back);
        cairn_file_clear(&file);
        cairn_context_destroy(context);
    }
    CHECK(status == CAIRN_OK && tries > 5);
    struct stat mode;
    CHECK(stat(target, &mode) == 0 && (mode.st_mode & 0777) == 0640);
}

TEST(old_file_stays) {
    cairn_context *context = plain_context(1);
    cairn_file old = {0};
    CHECK(read_image(context, variant_image(0), &old) == CAIRN_OK);
    write_without_memory(context, &old, 1);
    write_without_memory(context, &old, 3);
    /* The temporary file's name would be too long. */
    char longest[320];
    memset(longest, 'x', sizeof longest);
    snprintf(longest, 64, "%s/", directory);
    size_t at = strlen(longest);
    longest[at] = 'y';
    longest[at + 250] = '\0';
    CHECK(cairn_file_write(context, longest, &old) == CAIRN_ERROR_IO && files_in(directory) == 1);
    cairn_file_clear(&old);
    cairn_context_destroy(context);
}

/* A disk that is full after some bytes. In a process of its own: the limit cannot be lifted. It ends by exit, where libhdf5 crashed over a file that it
 * could not close. */
TEST(disk_full) {
    const rlim_t limits[] = {0, 500, 4096, 9000};
    cairn_context *context = plain_context(1);
    cairn_file old = {0}, back = {0};
    CHECK(read_image(context, variant_image(1), &old) == CAIRN_OK);
    CHECK(cairn_file_write(context, target, &old) == CAIRN_OK);
    for (int k = 0; k < 4; k++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            struct rlimit limit = {limits[k], limits[k]};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            cairn_status status = cairn_file_write(context, target, &old);
            bool told = strstr(cairn_error_message(context), "cannot be written") != NULL;
            _exit(status == CAIRN_ERROR_IO && told ? 0 : 1);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        CHECK(files_in(directory) == 1);
        CHECK(cairn_file_read(context, target, &back) == CAIRN_OK);
        check_same(&old, &back);
        cairn_file_clear(&back);
    }
    cairn_file_clear(&old);
    cairn_context_destroy(context);
}

static void note_log(void *user, cairn_log_level level, const char *message) {
    int *warnings = user;
    *warnings += level == CAIRN_LOG_WARNING && strstr(message, "does not hold the law") != NULL;
}

TEST(law_and_limits) {
    int warnings = 0;
    cairn_context_def def = cairn_default_context_def();
    def.log = note_log;
    def.log_user = &warnings;
    cairn_context *context = NULL;
    CHECK(cairn_context_create(&def, &context) == CAIRN_OK);
    cairn_file file = {0};
    CHECK(read_image(context, variant_image(0), &file) == CAIRN_OK);
    CHECK(cairn_file_write(context, target, &file) == CAIRN_OK && warnings == 0);
    CHECK(cairn_problem_set_law(file.problem, CAIRN_LAW_ASSOCIATED) == CAIRN_OK);
    CHECK(cairn_file_write(context, target, &file) == CAIRN_OK && warnings == 1);
    cairn_file announced = file;
    char *text = malloc((size_t)1 << 21);
    memset(text, 'x', (size_t)1 << 21);
    text[1 << 20] = '\0';
    announced.title = text;
    CHECK(cairn_file_write(context, target, &announced) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "an info string has 1048576 bytes");
    text[(1 << 20) - 1] = '\0';
    CHECK(cairn_file_write(context, target, &announced) == CAIRN_OK);
    cairn_file back = {0};
    CHECK(cairn_file_read(context, target, &back) == CAIRN_OK && strlen(back.title) == (1 << 20) - 1);
    cairn_file_clear(&back);
    free(text);
    cairn_vectors none = {0};
    announced = file;
    announced.guess = &none;
    announced.guesses = 10001;
    CHECK(cairn_file_write(context, target, &announced) == CAIRN_ERROR_ARGUMENT);
    cairn_file_clear(&file);
    cairn_context_destroy(context);
}

static cairn_problem *problem_of(cairn_context *context, int blocks, const cairn_block *block, const double *C,
                                 const double *N) {
    cairn_problem_def def = cairn_default_problem_def();
    int row[64], col[64], m = 0;
    for (int k = 0; k < blocks; k++)
        m += block[k].dim;
    for (int e = 0; e < m * m; e++) {
        row[e] = e / m;
        col[e] = e % m;
    }
    def.m = m;
    def.N = (cairn_sparse){.rows = m, .cols = m, .entries = m * m, .row = row, .col = col, .value = N};
    def.N_unsymmetric = true;
    def.C = C;
    def.blocks = blocks;
    def.block = block;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* What FCLIB cannot hold goes into Cairn's own form (test_io_own.c), and nothing else does. */
TEST(what_fclib_lacks) {
    cairn_context *context = plain_context(1);
    const cairn_block cone3 = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.5}, cone2 = {.set = CAIRN_SET_CONE, .dim = 2};
    const cairn_block joint = {.set = CAIRN_SET_BILATERAL, .dim = 2}, box = {.set = CAIRN_SET_BOX, .dim = 1};
    const cairn_block mixed[] = {cone3, cone2}, order[] = {cone3, joint, cone3}, motor[] = {cone2, box};
    const cairn_block fine[] = {cone3, joint};
    const cairn_block *sets[] = {mixed, order, motor, fine, fine, fine};
    const int counts[] = {2, 3, 2, 2, 2, 2};
    const double C[] = {0, 0, 0, 0, 0.5};
    for (int k = 0; k < 6; k++) { /* 3: compliance, 4: couplings that differ, 5: plain */
        double N[64] = {0};
        int m = 0;
        for (int b = 0; b < counts[k]; b++)
            m += sets[k][b].dim;
        for (int i = 0; i < m; i++)
            N[i * m + i] = 1.0;
        if (k == 4)
            N[4] = 0.25;
        cairn_file file = {.problem = problem_of(context, counts[k], sets[k], k == 3 ? C : NULL, N)}, back = {0};
        CHECK(cairn_file_fits_fclib(file.problem) == (k == 5));
        CHECK(cairn_file_write(context, target, &file) == CAIRN_OK);
        CHECK(cairn_file_read(context, target, &back) == CAIRN_OK && back.own == (k < 5));
        cairn_file_clear(&back);
        cairn_problem_destroy(file.problem);
    }
    double N[25] = {0}, bad[] = {0, 0, NAN, 0, 0};
    for (int i = 0; i < 5; i++)
        N[i * 6] = 1.0;
    cairn_file file = {.problem = problem_of(context, 2, fine, NULL, N)}, back = {0};
    CHECK(cairn_file_write(context, target, &file) == CAIRN_OK && cairn_file_read(context, target, &back) == CAIRN_OK);
    CHECK(back.equalities == 2 && back.contacts == 1 && back.spacedim == 3 && back.local);
    cairn_file_clear(&back);
    file.solution.r = bad;
    CHECK(cairn_file_write(context, target, &file) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "r[2] is");
    cairn_problem_destroy(file.problem);
    cairn_context_destroy(context);
}

/* A real problem goes through unchanged. */
TEST(collection) {
    const char *names[] = {"box_stacks/Box_Stacks-i1000-548-40.hdf5", "others/Capsules-i125-1213.hdf5",
                           "others/CubeH8.hdf5"};
    char path[1024];
    if (!shared_path(names[0], path, sizeof path)) {
        SKIP("shared/fclib test data is absent");
        return;
    }
    cairn_context *context = plain_context(1);
    for (int k = 0; k < 3; k++) {
        cairn_file first = {0}, second = {0};
        CHECK(shared_path(names[k], path, sizeof path) && cairn_file_read(context, path, &first) == CAIRN_OK);
        CHECK(cairn_file_write(context, target, &first) == CAIRN_OK);
        CHECK(cairn_file_read(context, target, &second) == CAIRN_OK);
        check_same(&first, &second);
        cairn_file_clear(&first);
        cairn_file_clear(&second);
    }
    cairn_context_destroy(context);
}

int main(void) {
    if (mkdtemp(directory) == NULL)
        return 1;
    snprintf(target, sizeof target, "%s/out.hdf5", directory);
    RUN(round_trips);
    RUN(layout);
    RUN(same_bytes_later);
    RUN(solution_read);
    RUN(bad_paths);
    RUN(old_file_stays);
    RUN(disk_full);
    RUN(law_and_limits);
    RUN(what_fclib_lacks);
    RUN(collection);
    remove(target);
    rmdir(directory);
    return test_end();
}
