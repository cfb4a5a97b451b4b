/*
 * golden.h: hashes of answers, kept in tests/golden. A change that is to change no bit leaves them as they are; `make golden RENEW=1` writes them anew.
 *
 * Bits depend on the compiler, its options, the C library and the instruction set. The first line of a table names those that it was made with; elsewhere the comparison is skipped, and said to be.
 */
#ifndef CAIRN_TEST_GOLDEN_H
#define CAIRN_TEST_GOLDEN_H

#include "support/support.h"

#include <gnu/libc-version.h>

enum { GOLDEN_MOST = 4000, GOLDEN_KEY = 120, GOLDEN_SKIPPED = 77 };

typedef struct golden_row {
    char key[GOLDEN_KEY];
    uint64_t hash;
    bool seen;
} golden_row;

typedef struct golden_table {
    char path[1024], build[160];
    bool renew, comparable;
    int kept, made, different;
    golden_row *old, *now; /* kept, made */
} golden_table;

typedef uint64_t golden_hash;

static inline void golden_bytes(golden_hash *hash, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ byte[i]) * UINT64_C(0x100000001B3);
}

static inline void golden_reals(golden_hash *hash, const double *x, size_t count) {
    golden_bytes(hash, x, count * sizeof *x);
}

static inline void golden_counts(golden_hash *hash, const int64_t *x, size_t count) {
    golden_bytes(hash, x, count * sizeof *x);
}

static inline golden_hash golden_begin(void) {
    return UINT64_C(0xCBF29CE484222325);
}

static inline const char *golden_instructions(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "x86-64-v3" : "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "other";
#endif
}

/* Sanitizers and debugging builds have bits of their own. */
static inline const char *golden_kind(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
    return "other options";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return "other options";
#endif
#endif
    return "release";
}

static inline void golden_read(golden_table *t) {
    char line[400], build[sizeof t->build + 3];
    FILE *file = fopen(t->path, "r");
    if (file == NULL)
        return;
    snprintf(build, sizeof build, "# %s", t->build);
    if (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        t->comparable = strcmp(line, build) == 0;
        if (!t->comparable)
            printf("hashes of %s are of another build: %s, this is: %s\n", t->path, line + 2, t->build);
    }
    while (t->kept < GOLDEN_MOST && fgets(line, sizeof line, file) != NULL) {
        golden_row *row = &t->old[t->kept];
        unsigned long long hash;
        if (sscanf(line, "%llx %119[^\n]", &hash, row->key) == 2) {
            row->hash = hash;
            t->kept++;
        }
    }
    fclose(file);
}

/* The table `name` of this machine's instruction set. Compiled into each program, so that its own options count. */
static inline golden_table golden_open(const char *name) {
    golden_table t = {.renew = getenv("CAIRN_GOLDEN_RENEW") != NULL};
    t.old = calloc(GOLDEN_MOST, sizeof *t.old);
    t.now = calloc(GOLDEN_MOST, sizeof *t.now);
    if (t.old == NULL || t.now == NULL)
        exit(1);
    snprintf(t.path, sizeof t.path, "%s/tests/golden/%s-%s.txt", CAIRN_SOURCE_DIR, golden_instructions(), name);
    snprintf(t.build, sizeof t.build, "%s, compiler %s, C library %s", golden_kind(), __VERSION__,
             gnu_get_libc_version());
    golden_read(&t);
    return t;
}

/* One hash, compared with the one that was kept under this key. */
static inline void golden_add(golden_table *t, const char *key, golden_hash hash) {
    if (t->made == GOLDEN_MOST) {
        printf("more than %d hashes\n", GOLDEN_MOST);
        exit(1);
    }
    snprintf(t->now[t->made].key, GOLDEN_KEY, "%s", key);
    t->now[t->made++].hash = hash;
    if (t->renew || !t->comparable)
        return;
    for (int i = 0; i < t->kept; i++) {
        if (strcmp(t->old[i].key, key) != 0)
            continue;
        t->old[i].seen = true;
        if (t->old[i].hash == hash)
            return;
        break;
    }
    t->different++;
    printf("other bits, or a new key: %s\n", key);
}

static inline void golden_write(const golden_table *t) {
    FILE *file = fopen(t->path, "w");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    fprintf(file, "# %s\n", t->build);
    for (int i = 0; i < t->made; i++)
        fprintf(file, "%016llx %s\n", (unsigned long long)t->now[i].hash, t->now[i].key);
    CHECK(fclose(file) == 0);
}

/* Writes the table anew or says what differs. Keys that begin with `absent` (NULL: none) may be missing: their data is not there. */
static inline void golden_end(golden_table *t, const char *absent) {
    for (int i = 0; i < t->kept && t->comparable && !t->renew; i++) {
        bool excused = absent != NULL && strncmp(t->old[i].key, absent, strlen(absent)) == 0;
        if (t->old[i].seen || excused)
            continue;
        t->different++;
        printf("no longer made: %s\n", t->old[i].key);
    }
    if (t->renew)
        golden_write(t);
    printf("%d hashes, %s\n", t->made, t->renew ? "written" : t->comparable ? "compared" : "not compared");
    CHECK(t->different == 0);
    free(t->old);
    free(t->now);
}

#endif
