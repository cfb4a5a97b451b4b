/*
 * Every sample through every form of a file: FCLIB global and local, and Siconos text, which Cairn reads and this test writes. What is read back has
 * the same bits; so has what is written from that.
 */
#define _POSIX_C_SOURCE 200809L

#include "support/support.h"

#include <unistd.h>

static char directory[] = "/tmp/cairn-samples-XXXXXX";
static char target[64];

static bool same_ints(const int *a, const int *b, int count) {
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_reals(const double *a, const double *b, int count) {
    if (count == 0 || a == NULL || b == NULL)
        return count == 0 || a == b;
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* A file holds equality rows one by one; mu means something for cones alone. */
static bool same_blocks(const cairn_problem_view *p, const cairn_problem_view *q) {
    bool split = p->blocks != q->blocks;
    int k = 0;
    for (int i = 0; i < p->blocks; i++) {
        const cairn_block *x = &p->block[i];
        int parts = x->set == CAIRN_SET_BILATERAL && split ? x->dim : 1;
        for (int part = 0; part < parts; part++, k++) {
            if (k >= q->blocks || q->block[k].set != x->set || q->block[k].dim * parts != x->dim)
                return false;
            if (x->set == CAIRN_SET_CONE && !same_reals(&x->mu, &q->block[k].mu, 1))
                return false;
        }
    }
    return k == q->blocks;
}

static bool same_problem(const cairn_problem *a, const cairn_problem *b) {
    cairn_problem_view p = cairn_problem_get(a), q = cairn_problem_get(b);
    int cols = p.local ? p.m : p.n;
    if (p.n != q.n || p.m != q.m || p.local != q.local || p.unsymmetric != q.unsymmetric || !same_blocks(&p, &q))
        return false;
    if (!same_ints(p.H_start, q.H_start, cols + 1) || !same_ints(p.H_index, q.H_index, p.H_start[cols]) ||
        !same_reals(p.H_value, q.H_value, p.H_start[cols]))
        return false;
    if (!p.local && (!same_ints(p.D_start, q.D_start, p.m + 1) || !same_ints(p.D_index, q.D_index, p.D_start[p.m]) ||
                     !same_reals(p.D_value, q.D_value, p.D_start[p.m])))
        return false;
    return same_reals(p.k, q.k, p.n) && same_reals(p.b, q.b, p.m);
}

static bool same_vectors(const cairn_vectors *a, const cairn_vectors *b, int n, int m) {
    return same_reals(a->v, b->v, n) && same_reals(a->u, b->u, m) && same_reals(a->r, b->r, m);
}

/* Contacts and equality rows of a problem that FCLIB holds. */
static cairn_file describe(cairn_context *context, cairn_problem *problem) {
    cairn_problem_view view = cairn_problem_get(problem);
    cairn_file file = {.problem = problem, .spacedim = 3, .local = view.local, .context = context};
    for (int i = 0; i < view.blocks; i++)
        if (view.block[i].set == CAIRN_SET_CONE)
            file.contacts++;
        else
            file.equalities += view.block[i].dim;
    return file;
}

/* Writes, reads, writes what was read, reads again; with vectors in it that have every kind of bits. */
static void through_fclib(cairn_context *context, cairn_problem *problem, const char *name) {
    cairn_problem_view view = cairn_problem_get(problem);
    double *values = malloc((size_t)(view.m + view.n + 1) * sizeof *values);
    for (int i = 0; i <= view.m + view.n; i++)
        values[i] = i % 5 == 0 ? -0.0 : i % 5 == 1 ? 5e-324 * (i + 1) : sin(i) * pow(10.0, i % 600 - 300);
    char title[64];
    snprintf(title, sizeof title, "%s", name);
    cairn_file first = describe(context, problem), second = {0}, third = {0};
    /* u of equality rows is not stored: it is 0 */
    double *u = calloc((size_t)view.m + 1, sizeof *u);
    memcpy(u, values, (size_t)(view.m - first.equalities) * sizeof *u);
    cairn_vectors guess = {.r = values + view.n};
    first.title = title;
    first.solution = (cairn_vectors){.v = view.local ? NULL : values, .u = u, .r = values};
    first.guess = &guess;
    first.guesses = 1;
    CHECK(cairn_file_fits_fclib(problem));
    CHECK(cairn_file_write(context, target, &first) == CAIRN_OK);
    CHECK(cairn_file_read(context, target, &second) == CAIRN_OK);
    CHECK(second.problem != NULL && cairn_file_write(context, target, &second) == CAIRN_OK);
    CHECK(cairn_file_read(context, target, &third) == CAIRN_OK);
    const cairn_file *back[] = {&second, &third};
    for (int k = 0; k < 2 && third.problem != NULL; k++) {
        bool same = same_problem(problem, back[k]->problem) && back[k]->contacts == first.contacts &&
                    back[k]->equalities == first.equalities && back[k]->local == view.local && !back[k]->own &&
                    back[k]->guesses == 1 && back[k]->title != NULL && strcmp(back[k]->title, title) == 0;
        same = same && same_vectors(&first.solution, &back[k]->solution, view.n, view.m) &&
               same_vectors(&guess, &back[k]->guess[0], view.n, view.m);
        if (!same)
            printf("%s, %s form, reading %d: not the same bits\n", name, view.local ? "local" : "global", k + 1);
        CHECK(same);
    }
    free(u);
    free(values);
    cairn_file_clear(&second);
    cairn_file_clear(&third);
}

static void print_reals(FILE *out, const double *x, int count) {
    for (int i = 0; i < count; i++)
        fprintf(out, "%.17g\n", x[i]);
}

static void print_matrix(FILE *out, int rows, int cols, const int *start, const int *index, const double *value) {
    fprintf(out, "0\n%d %d\n%d %d\n", rows, cols, rows, cols);
    for (int j = 0; j < cols; j++)
        for (int i = 0, e = start[j]; i < rows; i++)
            fprintf(out, "%.17g\n", e < start[j + 1] && index[e] == i ? value[e++] : 0.0);
}

static void through_text(cairn_context *context, cairn_problem *problem, const char *name) {
    cairn_problem_view view = cairn_problem_get(problem);
    int size = view.local ? view.m : view.n;
    FILE *out = fopen(target, "w");
    CHECK(out != NULL);
    if (out == NULL)
        return;
    fprintf(out, "3\n%d\n", view.blocks);
    print_matrix(out, size, size, view.H_start, view.H_index, view.H_value);
    if (!view.local) {
        print_matrix(out, view.n, view.m, view.D_start, view.D_index, view.D_value);
        print_reals(out, view.k, view.n);
    }
    print_reals(out, view.b, view.m);
    for (int i = 0; i < view.blocks; i++)
        print_reals(out, &view.block[i].mu, 1);
    fclose(out);
    cairn_file back = {0};
    bool same = cairn_file_read(context, target, &back) == CAIRN_OK && same_problem(problem, back.problem);
    if (!same)
        printf("%s, %s form, text: not the same bits\n", name, view.local ? "local" : "global");
    CHECK(same);
    cairn_file_clear(&back);
}

TEST(same_bits) {
    cairn_context *context = plain_context(1);
    int written = 0, refused = 0;
    for (int i = 0; i < cairn_sample_count(); i++) {
        cairn_sample_info info;
        CHECK(cairn_sample_get(i, &info) == CAIRN_OK);
        cairn_sample_def def = cairn_default_sample_def(info.name);
        if (strcmp(info.name, "pile") == 0 || strcmp(info.name, "spheres") == 0)
            CHECK(cairn_sample_set(&def, "spheres", "40", NULL, 0) == CAIRN_OK);
        if (strcmp(info.name, "cairn") == 0)
            CHECK(cairn_sample_set(&def, "stones", "14", NULL, 0) == CAIRN_OK);
        cairn_problem *form[2] = {NULL, NULL};
        CHECK(cairn_sample_create(context, &def, &form[0]) == CAIRN_OK);
        if (!info.fclib) { /* said beforehand, and no file is left */
            cairn_file file = describe(context, form[0]);
            unlink(target);
            CHECK(!cairn_file_fits_fclib(form[0]));
            CHECK(cairn_file_write(context, target, &file) == CAIRN_ERROR_UNSUPPORTED && access(target, F_OK) != 0);
            cairn_problem_destroy(form[0]);
            refused++;
            continue;
        }
        CHECK(cairn_problem_to_local(form[0], &form[1]) == CAIRN_OK);
        for (int k = 0; k < 2; k++) {
            through_fclib(context, form[k], info.name);
            if (describe(context, form[k]).equalities == 0)
                through_text(context, form[k], info.name);
            cairn_problem_destroy(form[k]);
        }
        written++;
    }
    CHECK(written >= 8 && refused == 1);
    cairn_context_destroy(context);
}

int main(void) {
    if (mkdtemp(directory) == NULL)
        return 1;
    snprintf(target, sizeof target, "%s/out", directory);
    RUN(same_bits);
    unlink(target);
    rmdir(directory);
    return test_end();
}
