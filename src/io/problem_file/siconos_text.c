/*
 * siconos_text.c: Siconos' text files (docs/formats.md).
 *
 *     local    d, contacts, W, q, mu
 *     global   d, contacts, M, H, f, w, mu
 *
 * Nothing in the text says which of the two it is. If what follows the first matrix begins as a
 * matrix does, global is tried first, and local is then taken only if it uses up the text;
 * otherwise local is tried first. What follows the problem is left to siconos_vectors.c. An answer
 * there becomes the solution and, as a place to start from, the guess.
 */
#define _POSIX_C_SOURCE 200809L

#include "io/problem_file/siconos.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static cairn_status read_vector(cairn_scan *scan, const char *name, int count, double **values) {
    cairn_status status = cairn_scan_room(scan, name, count, 2);
    if (status != CAIRN_OK)
        return status;
    *values = cairn_alloc(scan->context, (size_t)count, sizeof **values);
    if (*values == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < count && status == CAIRN_OK; k++)
        status = cairn_scan_real(scan, name, &(*values)[k]);
    return status;
}

static cairn_status read_mu(cairn_scan *scan, cairn_raw *raw) {
    cairn_status status = cairn_scan_room(scan, "mu", raw->contacts, 2);
    if (status != CAIRN_OK)
        return status;
    raw->mu = cairn_alloc(scan->context, (size_t)raw->contacts, sizeof *raw->mu);
    if (raw->mu == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < raw->contacts && status == CAIRN_OK; k++) {
        status = cairn_scan_real(scan, "mu", &raw->mu[k]);
        if (status == CAIRN_OK && raw->mu[k] < 0.0)
            status = cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "mu: found %s, expected 0 or more", scan->word);
    }
    return status;
}

static cairn_status read_local(cairn_scan *scan, cairn_raw *raw) {
    int m = raw->contacts * raw->spacedim;
    const cairn_sparse *W = &raw->A.view;
    if (W->rows != m || W->cols != m)
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "W is %d x %d, expected %d x %d", W->rows, W->cols, m, m);
    cairn_status status = read_vector(scan, "q", m, &raw->w);
    return status == CAIRN_OK ? read_mu(scan, raw) : status;
}

static cairn_status read_global(cairn_scan *scan, cairn_raw *raw) {
    int m = raw->contacts * raw->spacedim, n = raw->A.view.rows;
    if (n < 1 || raw->A.view.cols != n)
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "M is %d x %d, expected square and at least 1 x 1", n,
                              raw->A.view.cols);
    cairn_status status = cairn_scan_matrix(scan, "H", &raw->B);
    if (status == CAIRN_OK && (raw->B.view.rows != n || raw->B.view.cols != m))
        status = cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "H is %d x %d, expected %d x %d", raw->B.view.rows,
                                raw->B.view.cols, n, m);
    if (status == CAIRN_OK)
        status = read_vector(scan, "f", n, &raw->f);
    if (status == CAIRN_OK)
        status = read_vector(scan, "w", m, &raw->w);
    return status == CAIRN_OK ? read_mu(scan, raw) : status;
}

static void forget_attempt(cairn_context *context, cairn_raw *raw) {
    cairn_matrix_free(context, &raw->B);
    cairn_free(context, raw->f);
    cairn_free(context, raw->w);
    cairn_free(context, raw->mu);
    raw->f = raw->w = raw->mu = NULL;
}

/* d, contacts and the first matrix. */
static cairn_status read_head(cairn_scan *scan, cairn_raw *raw) {
    cairn_status status = cairn_scan_word(scan);
    bool whole = status == CAIRN_OK && cairn_scan_whole(scan->word, &raw->spacedim);
    if (whole && raw->spacedim == 5)
        return cairn_scan_bad(scan, CAIRN_ERROR_UNSUPPORTED,
                              "dimension 5: a rolling friction problem; these are recognised but not supported yet, "
                              "expected the dimension 2 or 3");
    if (status == CAIRN_OK && (!whole || (raw->spacedim != 2 && raw->spacedim != 3)))
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE,
                              "neither an HDF5 signature nor Siconos text: found %.24s, expected the dimension 2 or 3",
                              scan->word[0] != '\0' ? scan->word : "an empty file");
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "number of contacts", 0, INT_MAX / raw->spacedim, &raw->contacts);
    return status == CAIRN_OK ? cairn_scan_matrix(scan, "the first matrix", &raw->A) : status;
}

/* Whether a matrix H seems to follow: storage, rows and columns as whole numbers, one of the
 * sizes as it must be. Siconos prints vectors with exponents, so that only a q written by hand
 * can look like that. */
static bool looks_global(cairn_scan scan, const cairn_raw *raw) {
    int head[3] = {0};
    for (int k = 0; k < 3; k++)
        if (cairn_scan_word(&scan) != CAIRN_OK || !cairn_scan_whole(scan.word, &head[k]))
            return false;
    return head[0] >= 0 && head[0] <= 2 && (head[1] == raw->A.view.rows || head[2] == raw->contacts * raw->spacedim);
}

static cairn_status read_either(const char *name, cairn_scan *scan, cairn_raw *raw, cairn_siconos_vectors *rest) {
    cairn_context *context = scan->context;
    cairn_status status = read_head(scan, raw);
    if (status == CAIRN_ERROR_MEMORY)
        return status;
    if (status != CAIRN_OK)
        return cairn_fail(context, status, "%s: %s", name, scan->message);
    bool global_first = looks_global(*scan, raw);
    cairn_scan attempt[2] = {*scan, *scan}; /* global, local */
    for (int k = 0; k < 2; k++) {
        raw->local = global_first == (k == 1);
        cairn_scan *mine = &attempt[raw->local];
        status = raw->local ? read_local(mine, raw) : read_global(mine, raw);
        if (status == CAIRN_OK && raw->local && global_first)
            status = cairn_scan_expect(mine, "");
        if (status == CAIRN_OK)
            status = cairn_scan_rest(mine, raw, rest);
        if (status == CAIRN_OK || status == CAIRN_ERROR_MEMORY)
            return status;
        if (status == CAIRN_ERROR_UNSUPPORTED)
            return cairn_fail(context, status, "%s: %s", name, mine->message);
        forget_attempt(context, raw);
    }
    return cairn_fail(context, status, "%s: not a local problem (%s) and not a global one (%s)", name,
                      attempt[true].message, attempt[false].message);
}

static cairn_status copy_vector(cairn_context *context, const double *from, int count, double **to) {
    if (from == NULL)
        return CAIRN_OK;
    *to = cairn_alloc(context, (size_t)count, sizeof **to);
    if (*to == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(*to, from, (size_t)count * sizeof **to);
    return CAIRN_OK;
}

/* Hands the answer and the note over to the file; the answer is the first guess too. */
static cairn_status keep_rest(cairn_context *context, cairn_siconos_vectors *rest, cairn_file *file) {
    cairn_problem_view view = cairn_problem_get(file->problem);
    file->solution = rest->vectors;
    rest->vectors = (cairn_vectors){0};
    if (rest->note[0] != '\0') {
        size_t size = strlen(rest->note) + 1;
        file->note = cairn_alloc(context, size, 1);
        if (file->note == NULL)
            return CAIRN_ERROR_MEMORY;
        memcpy(file->note, rest->note, size);
    }
    const cairn_vectors *from = &file->solution;
    if (from->v == NULL && from->u == NULL && from->r == NULL)
        return CAIRN_OK;
    file->guess = cairn_alloc(context, 1, sizeof *file->guess);
    if (file->guess == NULL)
        return CAIRN_ERROR_MEMORY;
    file->guess[0] = (cairn_vectors){0};
    file->guesses = 1;
    cairn_status status = copy_vector(context, from->v, view.n, &file->guess[0].v);
    if (status == CAIRN_OK)
        status = copy_vector(context, from->u, view.m, &file->guess[0].u);
    return status == CAIRN_OK ? copy_vector(context, from->r, view.m, &file->guess[0].r) : status;
}

cairn_status cairn_siconos_read(cairn_context *context, const char *name, const char *bytes, size_t size,
                                cairn_file *file) {
    if (size == 0)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: empty, expected FCLIB (HDF5) or Siconos text", name);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cairn_fail(context, CAIRN_ERROR_MEMORY, "%s: out of memory: no \"C\" locale", name);
    locale_t before = uselocale(plain);
    cairn_scan scan = {.context = context, .at = bytes, .end = bytes + size, .line = 1, .word_line = 1, .loose = true};
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) /* the mark that some editors put before UTF-8 */
        scan.at += 3;
    cairn_raw raw = {0};
    cairn_siconos_vectors rest = {0};
    cairn_status status = read_either(name, &scan, &raw, &rest);
    uselocale(before);
    freelocale(plain);
    if (status == CAIRN_OK)
        status = cairn_raw_build(context, name, &raw, file);
    if (status == CAIRN_OK)
        status = keep_rest(context, &rest, file);
    cairn_vectors_clear(context, &rest.vectors);
    cairn_raw_free(context, &raw);
    return status;
}
