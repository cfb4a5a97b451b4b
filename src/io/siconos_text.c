/*
 * siconos_text.c: Siconos' text files (docs/formats.md).
 *
 *     local    d, contacts, W, q, mu
 *     global   d, contacts, M, H, f, w, mu
 *
 * Nothing in the text says which of the two it is: after the first matrix both are tried, and the one that uses up
 * the text is taken. They cannot both fit: a global text is longer by the matrix H and by w.
 */
#define _POSIX_C_SOURCE 200809L

#include "text_scan.h"

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

/* mu, then the end. */
static cairn_status read_tail(cairn_scan *scan, cairn_raw *raw) {
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
    return status == CAIRN_OK ? cairn_scan_expect(scan, "") : status;
}

static cairn_status read_local(cairn_scan *scan, cairn_raw *raw) {
    int m = raw->contacts * raw->spacedim;
    const cairn_sparse *W = &raw->A.view;
    if (W->rows != m || W->cols != m)
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "W is %d x %d, expected %d x %d", W->rows, W->cols, m, m);
    cairn_status status = read_vector(scan, "q", m, &raw->w);
    return status == CAIRN_OK ? read_tail(scan, raw) : status;
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
    return status == CAIRN_OK ? read_tail(scan, raw) : status;
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
                              "dimension 5: a rolling friction problem; these are recognised but not supported yet");
    if (status == CAIRN_OK && (!whole || (raw->spacedim != 2 && raw->spacedim != 3)))
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE,
                              "neither an HDF5 signature nor Siconos text: found %.24s, expected the dimension 2 or 3",
                              scan->word[0] != '\0' ? scan->word : "an empty file");
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "number of contacts", 0, INT_MAX / raw->spacedim, &raw->contacts);
    return status == CAIRN_OK ? cairn_scan_matrix(scan, "the first matrix", &raw->A) : status;
}

static cairn_status read_either(const char *name, cairn_scan *scan, cairn_raw *raw) {
    cairn_context *context = scan->context;
    cairn_status status = read_head(scan, raw);
    if (status == CAIRN_ERROR_MEMORY)
        return status;
    if (status != CAIRN_OK)
        return cairn_fail(context, status, "%s: %s", name, scan->message);
    cairn_scan local = *scan, global = *scan;
    raw->local = true;
    status = read_local(&local, raw);
    if (status == CAIRN_OK || status == CAIRN_ERROR_MEMORY)
        return status;
    forget_attempt(context, raw);
    raw->local = false;
    status = read_global(&global, raw);
    if (status == CAIRN_OK || status == CAIRN_ERROR_MEMORY)
        return status;
    return cairn_fail(context, status, "%s: not a local problem (%s) and not a global one (%s)", name, local.message,
                      global.message);
}

cairn_status cairn_siconos_read(cairn_context *context, const char *name, const char *bytes, size_t size,
                                cairn_file *file) {
    if (size == 0)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: empty, expected FCLIB (HDF5) or Siconos text", name);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cairn_fail(context, CAIRN_ERROR_MEMORY, "%s: out of memory: no \"C\" locale", name);
    locale_t before = uselocale(plain);
    cairn_scan scan = {.context = context, .at = bytes, .end = bytes + size, .line = 1, .word_line = 1};
    cairn_raw raw = {0};
    cairn_status status = read_either(name, &scan, &raw);
    uselocale(before);
    freelocale(plain);
    if (status == CAIRN_OK)
        status = cairn_raw_build(context, name, &raw, file);
    cairn_raw_free(context, &raw);
    return status;
}
