/*
 * record_files.h: files of recordings in tests: a name of their own for each process, and removing them with what stands beside them.
 */
#ifndef CAIRN_TEST_RECORD_FILES_H
#define CAIRN_TEST_RECORD_FILES_H

#include <stdio.h>
#include <unistd.h>

/* Valid until the next call. */
static inline const char *file_name(const char *what) {
    static char path[256];
    snprintf(path, sizeof path, "/tmp/cairn_record_%ld_%s", (long)getpid(), what);
    return path;
}

static inline void remove_files(const char *path) {
    char other[300];
    unlink(path);
    snprintf(other, sizeof other, "%s.journal", path);
    unlink(other);
    snprintf(other, sizeof other, "%s.part", path);
    unlink(other);
}

#endif
