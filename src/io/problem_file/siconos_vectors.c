/*
 * siconos_vectors.c: what stands behind a problem in Siconos' text (docs/formats.md).
 *
 *     flag       0 or 1, written by older versions: whether the problem was called complete. Of no use: problems with 0
 *                are as whole as those with 1
 *     reaction   m numbers
 *     velocity   m numbers, after the reaction
 *     global     n numbers, after both, for global problems
 *
 * The count of numbers decides. Anything else is left out and named in a note, for the problem
 * itself is whole. Of vectors that fit, those with a number that is not finite are left out. One
 * rest is an error: as many coefficients as contacts behind mu make a rolling friction problem of
 * the plane, whose three rows are not those of a contact in space.
 */
#include "io/problem_file/siconos.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum kind { KIND_FINITE, KIND_NOT_FINITE, KIND_OTHER } kind;

/* What the last word is. */
static kind word_kind(const cairn_scan *scan, double *value) {
    if (cairn_scan_decimal(scan, value))
        return isfinite(*value) ? KIND_FINITE : KIND_NOT_FINITE;
    const char *word = scan->word + (scan->word[0] == '-' || scan->word[0] == '+');
    char start[4] = {0};
    for (int k = 0; k < 3 && word[k] != '\0'; k++)
        start[k] = (char)tolower((unsigned char)word[k]);
    return strcmp(start, "nan") == 0 || strcmp(start, "inf") == 0 ? KIND_NOT_FINITE : KIND_OTHER;
}

typedef struct census {
    int64_t words, odd; /* odd: neither number nor nan nor inf */
    int64_t lines;      /* that hold words */
    int line, odd_line; /* of the first word and of the first odd one */
    bool flag;          /* the first word is 0 or 1 */
    bool alone;         /* it has a line to itself */
    bool coefficients;  /* all words are finite numbers of 0 or more */
    char first[28], odd_word[28];
} census;

static void count_words(cairn_scan scan, census *c) {
    *c = (census){.coefficients = true};
    for (int before = -1;; before = scan.word_line) {
        double value = 0.0;
        bool whole = cairn_scan_word(&scan) == CAIRN_OK;
        if (scan.word[0] == '\0')
            return;
        kind k = whole ? word_kind(&scan, &value) : KIND_OTHER;
        if (c->words++ == 0) {
            c->line = scan.word_line;
            c->flag = strcmp(scan.word, "0") == 0 || strcmp(scan.word, "1") == 0;
            snprintf(c->first, sizeof c->first, "%.24s", scan.word);
        }
        if (k == KIND_OTHER && c->odd++ == 0) {
            c->odd_line = scan.word_line;
            snprintf(c->odd_word, sizeof c->odd_word, "%.24s", scan.word);
        }
        c->lines += scan.word_line != before;
        c->alone = c->words == 1 || (c->words == 2 ? scan.word_line != before : c->alone);
        c->coefficients = c->coefficients && k == KIND_FINITE && value >= 0.0;
    }
}

static bool fits(int64_t count, int n, int m) {
    return (m > 0 && (count == m || count == 2 * (int64_t)m)) || (n > 0 && count == 2 * (int64_t)m + n);
}

/* count numbers; *values stays NULL when one of them is not finite. */
static cairn_status read_vector(cairn_scan *scan, const char *name, int count, double **values, char *note,
                                size_t note_size) {
    double *read = cairn_alloc(scan->context, (size_t)count, sizeof *read);
    if (read == NULL)
        return CAIRN_ERROR_MEMORY;
    bool finite = true;
    for (int k = 0; k < count; k++) {
        cairn_status status = cairn_scan_word(scan);
        if (status != CAIRN_OK) {
            cairn_free(scan->context, read);
            return status;
        }
        if (word_kind(scan, &read[k]) == KIND_FINITE)
            continue;
        if (finite && note[0] == '\0')
            snprintf(note, note_size, "line %d: the %s behind the problem holds %.24s and was left out",
                     scan->word_line, name, scan->word);
        finite = false;
    }
    if (finite)
        *values = read;
    else
        cairn_free(scan->context, read);
    return CAIRN_OK;
}

static void note_odd(const census *c, int n, int m, char *note, size_t size) {
    if (c->odd > 0) {
        snprintf(note, size,
                 "line %d: %s is no number; all that stands behind the problem, from line %d on, was left out",
                 c->odd_line, c->odd_word, c->line);
        return;
    }
    char more[64] = "";
    if (n > 0)
        snprintf(more, sizeof more, " or %lld (the global velocity too)", 2 * (long long)m + n);
    snprintf(note, size,
             "line %d: %lld numbers behind the problem, the first %s, were left out; expected 0 or 1, then nothing, %d "
             "numbers (reaction), %lld (reaction, velocity)%s",
             c->line, (long long)c->words, c->first, m, 2 * (long long)m, more);
}

static void clean(char *note) {
    for (; *note != '\0'; note++)
        if (!isprint((unsigned char)*note))
            *note = '?';
}

cairn_status cairn_scan_rest(cairn_scan *scan, const cairn_raw *raw, cairn_siconos_vectors *rest) {
    int m = raw->contacts * raw->spacedim, n = raw->local ? 0 : raw->A.view.rows;
    census c;
    *rest = (cairn_siconos_vectors){0};
    count_words(*scan, &c);
    rest->none = c.words == 0;
    if (raw->spacedim == 3 && raw->contacts > 0 && c.words == raw->contacts && c.coefficients && !c.flag) {
        scan->word_line = c.line;
        return cairn_scan_bad(scan, CAIRN_ERROR_UNSUPPORTED,
                              "%d more coefficients behind mu: a rolling friction problem of the plane; these are "
                              "recognised but not supported yet, expected the end",
                              raw->contacts);
    }
    /* 0 or 1 may begin a reaction too, if that stands on one line or in one column. */
    bool apart = c.alone && c.words > c.lines;
    bool flag = c.flag && (apart || fits(c.words - 1, n, m) || !fits(c.words, n, m));
    int64_t count = c.words - flag;
    bool kept = c.odd == 0 && fits(count, n, m);
    if (count > 0 && !kept)
        note_odd(&c, n, m, rest->note, sizeof rest->note);
    cairn_status status = flag ? cairn_scan_word(scan) : CAIRN_OK;
    char *note = rest->note;
    if (status == CAIRN_OK && kept && m > 0)
        status = read_vector(scan, "reaction", m, &rest->vectors.r, note, sizeof rest->note);
    if (status == CAIRN_OK && kept && m > 0 && count > m)
        status = read_vector(scan, "velocity", m, &rest->vectors.u, note, sizeof rest->note);
    if (status == CAIRN_OK && kept && count > 2 * (int64_t)m)
        status = read_vector(scan, "global velocity", n, &rest->vectors.v, note, sizeof rest->note);
    if (status == CAIRN_OK && (kept || count == 0))
        status = cairn_scan_word(scan); /* the end: counts comments */
    if (status == CAIRN_OK && note[0] == '\0' && scan->comments > 0)
        snprintf(note, sizeof rest->note, "line %d: %d comment%s left out", scan->comment_line, scan->comments,
                 scan->comments > 1 ? "s were" : " was");
    clean(note);
    if (status != CAIRN_OK)
        cairn_vectors_clear(scan->context, &rest->vectors);
    return status;
}
