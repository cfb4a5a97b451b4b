/*
 * hdf5_util.h: careful access to an HDF5 file. Everything is addressed by its full path, which is
 * also what the error messages print.
 *
 * libhdf5 keeps state of its own for the whole process, takes memory that does not come from the
 * context's allocator, and Debian's build of it is not thread-safe: only one thread at a time may
 * read or write files.
 */
#ifndef CAIRN_IO_HDF5_HDF5_UTIL_H
#define CAIRN_IO_HDF5_HDF5_UTIL_H

#include "base/core.h"

#include <hdf5.h>
#include <stdio.h>

#define CAIRN_HDF5_PATH       128               /* room for the longest path used, with its NUL */
#define CAIRN_HDF5_USER_BLOCK 8192              /* the signature is looked for up to here */
#define CAIRN_HDF5_STRING_MAX ((size_t)1 << 20) /* bytes of a string, with its NUL */

/* An open file. */
typedef struct cairn_hdf5 {
    cairn_context *context;
    const char *name; /* for messages */
    uint64_t bytes;   /* size of the file: no dataset may claim more than it can hold */
    hid_t file;
    const unsigned char *image; /* the bytes of a file in memory; NULL: the file is on disk at name */
} cairn_hdf5;

typedef enum cairn_hdf5_kind { CAIRN_HDF5_ABSENT = 0, CAIRN_HDF5_GROUP, CAIRN_HDF5_DATASET } cairn_hdf5_kind;
typedef enum cairn_hdf5_type { CAIRN_HDF5_INTEGER = 0, CAIRN_HDF5_REAL } cairn_hdf5_type;

/* Offset of the HDF5 signature in the first bytes of a file, -1 if there is none: 0, 512, 1024,
 * ... */
int64_t cairn_hdf5_signature(const unsigned char *bytes, size_t size);
/* Looks at the superblock that starts with the signature; size bytes of it are known, the file
 * has *file_bytes. Says "truncated" before libhdf5 sees the file. *file_bytes becomes what the
 * superblock states, from the signature on: nothing is looked for behind that. */
cairn_status cairn_hdf5_check_superblock(cairn_context *context, const char *name, const unsigned char *superblock,
                                         size_t size, uint64_t *file_bytes);
/* Looks for the signature in an open file of *bytes bytes, and at the superblock; *bytes becomes
 * what of the file is used. *hdf5 is false for everything else. */
cairn_status cairn_hdf5_probe(cairn_context *context, const char *path, FILE *stream, uint64_t *bytes, bool *hdf5);

/* Is there memory enough for libhdf5 to open or make a file? */
bool cairn_hdf5_has_room(void);

cairn_status cairn_hdf5_open_path(cairn_context *context, const char *path, uint64_t bytes, cairn_hdf5 *h);
cairn_status cairn_hdf5_open_memory(cairn_context *context, const void *bytes, size_t size, const char *name,
                                    cairn_hdf5 *h);
/* Refuses a dataset or a group over which libhdf5 would crash, or run in circles; see
 * hdf5_layout.c. The groups on the way must have been looked at: "/" is, before the file is
 * opened. A path that is not there, or no hard link, is none. */
cairn_status cairn_hdf5_check_layout(const cairn_hdf5 *h, const char *path);
/* size bytes of the file from offset on; false when they are not there. */
bool cairn_hdf5_read_at(const cairn_hdf5 *h, uint64_t offset, size_t size, unsigned char *bytes);
void cairn_hdf5_close(cairn_hdf5 *h);

/* How a dataset is created: as by default, but without the time of day, so that the same data
 * gives the same bytes. Groups of the file format that we write hold no times. Close with
 * H5Pclose. */
hid_t cairn_hdf5_timeless(void);

/* "<file>: <path>: <text>", CAIRN_ERROR_PARSE. */
cairn_status cairn_hdf5_bad(const cairn_hdf5 *h, const char *path, const char *format, ...) CAIRN_PRINTF(3, 4);
/* path = group/name. Both are ours, so they fit. */
void cairn_hdf5_join(const char *group, const char *name, char path[CAIRN_HDF5_PATH]);

/* Walks from the root along hard links only. *id is -1 when something on the way is absent; else
 * the caller closes it with H5Oclose. Soft and external links are refused: they may lead out of
 * the file. */
cairn_status cairn_hdf5_find(const cairn_hdf5 *h, const char *path, hid_t *id, cairn_hdf5_kind *kind);
cairn_status cairn_hdf5_look(const cairn_hdf5 *h, const char *path, cairn_hdf5_kind *kind);
/* *exists is set; an object that is no group is an error. */
cairn_status cairn_hdf5_look_group(const cairn_hdf5 *h, const char *path, bool *exists);
/* The names in the root group, for messages; at most size bytes, unprintable characters become
 * '?'. */
void cairn_hdf5_root_names(const cairn_hdf5 *h, char *text, size_t size);

/* A dataset whose type, shape, layout and size have been checked. */
typedef struct cairn_hdf5_array {
    hid_t id;     /* -1 when absent */
    int count;    /* elements; a scalar counts as 1 */
    bool written; /* false: count > 0 but the file holds no values */
} cairn_hdf5_array;

/* id is -1 when the dataset is absent. Close with cairn_hdf5_array_close. */
cairn_status cairn_hdf5_array_open(const cairn_hdf5 *h, const char *path, cairn_hdf5_type type,
                                   cairn_hdf5_array *array);
void cairn_hdf5_array_close(cairn_hdf5_array *array);

/* Required data: absent, never written, of another length, out of int's range or not finite is
 * an error. Arrays belong to the caller. */
cairn_status cairn_hdf5_read_int(const cairn_hdf5 *h, const char *group, const char *name, int *value);
cairn_status cairn_hdf5_read_ints(const cairn_hdf5 *h, const char *group, const char *name, int count, int **values);
cairn_status cairn_hdf5_read_reals(const cairn_hdf5 *h, const char *group, const char *name, int count,
                                   double **values);
/* The length of a required dataset. */
cairn_status cairn_hdf5_length(const cairn_hdf5 *h, const char *group, const char *name, cairn_hdf5_type type,
                               int *count);
/* Optional data into room for count values; *found is false when absent or never written. */
cairn_status cairn_hdf5_read_optional(const cairn_hdf5 *h, const char *group, const char *name, int count,
                                      double *values, bool *found);
/* Optional string, fixed or variable length; *text is NULL when absent, else belongs to the
 * caller. */
cairn_status cairn_hdf5_read_string(const cairn_hdf5 *h, const char *group, const char *name, char **text);
/* The variable-length string of a dataset with one element, from the global heap. */
cairn_status cairn_hdf5_read_heap_string(const cairn_hdf5 *h, const char *path, hid_t id, char **text);

#endif
