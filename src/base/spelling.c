/*
 * spelling.c: the word that was meant: edit distance with swaps of neighbours (optimal string
 * alignment), three rows at a time.
 */
#include "base/core.h"

#include <stddef.h>
#include <string.h>

enum { LETTERS_MAX = 63 };

static int distance(const char *a, const char *b) {
    int row[3][LETTERS_MAX + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > LETTERS_MAX || nb > LETTERS_MAX)
        return LETTERS_MAX;
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[na % 3][nb];
}

/* Of two words that are as near, the one whose length is nearer. */
static bool closer(size_t letters, const char *word, const char *best) {
    size_t a = strlen(word), b = strlen(best);
    return (a > letters ? a - letters : letters - a) < (b > letters ? b - letters : letters - b);
}

const char *cairn_nearest(const char *text, const char *const *word, int count) {
    if (text == NULL || word == NULL)
        return NULL;
    const char *best = NULL;
    size_t letters = strlen(text);
    int least = letters < 4 ? 1 : letters < 8 ? 2 : 3;
    for (int i = 0; i < count; i++) {
        int d = distance(text, word[i]);
        if (letters >= 3 && strncmp(text, word[i], letters) == 0)
            d = 1;
        if (d < least || (d == least && (best == NULL || closer(letters, word[i], best)))) {
            least = d;
            best = word[i];
        }
    }
    return best;
}
