/*
 * siconos_matrix.c: matrices in Siconos' text (docs/formats.md): storage (0 dense, 1 block, 2
 * sparse), rows, columns, then
 *
 *     dense    rows and columns again, the values column by column
 *     block    number of blocks, block rows and columns, row ends, column ends, lengths of the next two
 *              arrays, row starts, block columns, then for each block its number and its values column by column
 *     sparse   origin (older versions print none), then what CSparse prints: a title line, a line of sizes, and
 *              triplets "row col : value" or columns "col j : locations a to b" with "row : value"
 *
 * CSparse prints compressed rows as if they were columns: "col j" is row j. It stops after as many
 * rows as there are columns, so only square ones are whole. Of a symmetric matrix kept as one
 * triangle the other one is added. The row starts of blocks may end early: the block rows behind
 * them are empty.
 *
 * Everything becomes triplets. Zeros of dense and block matrices are dropped.
 */
#include "io/problem_file/siconos.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { ORIGIN_ROWS = 3, ORIGIN_HALF = 4 }; /* Siconos' numbers for compressed rows and for one triangle */

static cairn_status take(cairn_scan *scan, int64_t entries, int size, const char *name, cairn_matrix *matrix) {
    cairn_status status = cairn_scan_room(scan, name, entries, size);
    if (status != CAIRN_OK)
        return status;
    matrix->index = cairn_alloc(scan->context, (size_t)entries, sizeof *matrix->index);
    matrix->other = cairn_alloc(scan->context, (size_t)entries, sizeof *matrix->other);
    matrix->value = cairn_alloc(scan->context, (size_t)entries, sizeof *matrix->value);
    matrix->view.format = CAIRN_SPARSE_TRIPLET;
    matrix->view.row = matrix->index;
    matrix->view.col = matrix->other;
    matrix->view.value = matrix->value;
    bool taken = matrix->index != NULL && matrix->other != NULL && matrix->value != NULL;
    return taken ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static void put(cairn_matrix *matrix, int row, int col, double value) {
    int at = matrix->view.entries++;
    matrix->index[at] = row;
    matrix->other[at] = col;
    matrix->value[at] = value;
}

/* rows x cols values, column by column, at (row, col). */
static cairn_status read_dense(cairn_scan *scan, const char *name, int row, int rows, int col, int cols,
                               cairn_matrix *matrix) {
    for (int j = 0; rows > 0 && j < cols; j++)
        for (int i = 0; i < rows; i++) {
            double value = 0.0;
            cairn_status status = cairn_scan_real(scan, name, &value);
            if (status != CAIRN_OK)
                return status;
            if (value != 0.0)
                put(matrix, row + i, col + j, value);
        }
    return CAIRN_OK;
}

static cairn_status dense_matrix(cairn_scan *scan, const char *name, cairn_matrix *matrix) {
    int rows = matrix->view.rows, cols = matrix->view.cols, again;
    cairn_status status = cairn_scan_int(scan, "rows of the dense matrix", rows, rows, &again);
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "columns of the dense matrix", cols, cols, &again);
    if (status == CAIRN_OK)
        status = take(scan, (int64_t)rows * cols, 2, name, matrix);
    return status == CAIRN_OK ? read_dense(scan, name, 0, rows, 0, cols, matrix) : status;
}

/* count whole numbers that do not fall, the last of them equal to last, in an array of at least
 * count and size; low is the least first one. */
static cairn_status read_rising(cairn_scan *scan, const char *what, int low, int count, int size, int last,
                                int **values) {
    cairn_status status = cairn_scan_room(scan, what, count, 2);
    if (status != CAIRN_OK)
        return status;
    *values = cairn_alloc(scan->context, (size_t)(size > count ? size : count), sizeof **values);
    if (*values == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < count && status == CAIRN_OK; k++) {
        status = cairn_scan_int(scan, what, k == count - 1 ? last : low, last, &(*values)[k]);
        low = (*values)[k];
    }
    return status;
}

typedef struct blocks {
    int count, rows, cols;  /* blocks, block rows, block columns */
    int *row_end, *col_end; /* rows, cols: cumulative */
    int *start, *col;       /* rows + 1, count */
} blocks;

static cairn_status block_head(cairn_scan *scan, const cairn_matrix *matrix, blocks *b) {
    int filled, starts = 0;
    cairn_status status = cairn_scan_int(scan, "number of blocks", 0, INT_MAX, &b->count);
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "block rows", 0, INT_MAX - 1, &b->rows);
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "block columns", 0, INT_MAX - 1, &b->cols);
    if (status == CAIRN_OK && ((b->rows == 0 && matrix->view.rows > 0) || (b->cols == 0 && matrix->view.cols > 0)))
        status = cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "%d x %d blocks for a matrix of %d x %d", b->rows, b->cols,
                                matrix->view.rows, matrix->view.cols);
    if (status == CAIRN_OK)
        status = read_rising(scan, "row ends of the blocks", 0, b->rows, 0, matrix->view.rows, &b->row_end);
    if (status == CAIRN_OK)
        status = read_rising(scan, "column ends of the blocks", 0, b->cols, 0, matrix->view.cols, &b->col_end);
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "filled1 (block rows + 1, or less)", 1, b->rows + 1, &starts);
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "filled2 (number of blocks)", b->count, b->count, &filled);
    if (status == CAIRN_OK)
        status = read_rising(scan, "row starts of the blocks", 0, starts, b->rows + 1, b->count, &b->start);
    for (int k = starts; status == CAIRN_OK && k <= b->rows; k++)
        b->start[k] = b->count;
    if (status == CAIRN_OK && b->start[0] != 0)
        status = cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "row starts of the blocks begin with %d, expected 0",
                                b->start[0]);
    if (status == CAIRN_OK)
        status = cairn_scan_room(scan, "block columns", b->count, 2);
    if (status != CAIRN_OK)
        return status;
    b->col = cairn_alloc(scan->context, (size_t)b->count, sizeof *b->col);
    if (b->col == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < b->count && status == CAIRN_OK; k++)
        status = cairn_scan_int(scan, "column of a block", 0, b->cols - 1, &b->col[k]);
    return status;
}

static cairn_status block_values(cairn_scan *scan, const char *name, const blocks *b, cairn_matrix *matrix) {
    int64_t entries = 0;
    /* First pass counts, second pass reads. */
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < b->rows; i++)
            for (int k = b->start[i]; k < b->start[i + 1]; k++) {
                int j = b->col[k], number;
                int row = i > 0 ? b->row_end[i - 1] : 0, col = j > 0 ? b->col_end[j - 1] : 0;
                int rows = b->row_end[i] - row, cols = b->col_end[j] - col;
                if (pass == 0) {
                    int64_t size = (int64_t)rows * cols;
                    entries = entries > INT64_MAX - size ? INT64_MAX : entries + size;
                    continue;
                }
                cairn_status status = cairn_scan_int(scan, "number of a block", k, k, &number);
                if (status == CAIRN_OK)
                    status = read_dense(scan, name, row, rows, col, cols, matrix);
                if (status != CAIRN_OK)
                    return status;
            }
        cairn_status status = pass == 0 ? take(scan, entries, 2, name, matrix) : CAIRN_OK;
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

static cairn_status block_matrix(cairn_scan *scan, const char *name, cairn_matrix *matrix) {
    blocks b = {0};
    cairn_status status = block_head(scan, matrix, &b);
    if (status == CAIRN_OK)
        status = block_values(scan, name, &b, matrix);
    cairn_free(scan->context, b.row_end);
    cairn_free(scan->context, b.col_end);
    cairn_free(scan->context, b.start);
    cairn_free(scan->context, b.col);
    return status;
}

/* "R-by-C, nzmax: Z nnz: E" with a comma and "1-norm: x" behind it for columns. */
static cairn_status sparse_sizes(cairn_scan *scan, const cairn_matrix *matrix, bool columns, int *entries) {
    char expected[40];
    int nzmax;
    snprintf(expected, sizeof expected, "%d-by-%d,", matrix->view.rows, matrix->view.cols);
    if (strcmp(scan->word, expected) != 0)
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "found %s, expected %s", scan->word, expected);
    cairn_status status = cairn_scan_expect(scan, "nzmax:");
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "nzmax", 0, INT_MAX, &nzmax);
    if (status == CAIRN_OK)
        status = cairn_scan_expect(scan, "nnz:");
    if (status == CAIRN_OK && !columns)
        return cairn_scan_int(scan, "nnz", 0, INT_MAX, entries);
    if (status == CAIRN_OK)
        status = cairn_scan_word(scan);
    if (status != CAIRN_OK)
        return status;
    size_t length = strlen(scan->word);
    if (length > 0 && scan->word[length - 1] == ',')
        scan->word[length - 1] = '\0';
    if (!cairn_scan_whole(scan->word, entries) || *entries < 0)
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "nnz: found %s, expected a whole number of 0 or more",
                              scan->word);
    status = cairn_scan_expect(scan, "1-norm:");
    return status == CAIRN_OK ? cairn_scan_word(scan) : status;
}

/* ": value" after a row and a column. */
static cairn_status sparse_entry(cairn_scan *scan, const char *name, int row, int col, cairn_matrix *matrix) {
    double value = 0.0;
    cairn_status status = cairn_scan_expect(scan, ":");
    if (status == CAIRN_OK)
        status = cairn_scan_real(scan, name, &value);
    if (status == CAIRN_OK)
        put(matrix, row, col, value);
    return status;
}

/* half: one triangle of a symmetric matrix, to which the other one is added. */
static cairn_status sparse_triplets(cairn_scan *scan, const char *name, bool half, int entries, cairn_matrix *matrix) {
    int row = 0, col = 0, side = 0;
    cairn_status status = take(scan, half ? 2 * (int64_t)entries : entries, half ? 4 : 8, name, matrix);
    for (int k = 0; k < entries && status == CAIRN_OK; k++) {
        status = cairn_scan_int(scan, "row of an entry", 0, matrix->view.rows - 1, &row);
        if (status == CAIRN_OK)
            status = cairn_scan_int(scan, "column of an entry", 0, matrix->view.cols - 1, &col);
        if (status == CAIRN_OK)
            status = sparse_entry(scan, name, row, col, matrix);
        if (status != CAIRN_OK || !half || row == col)
            continue;
        if ((row > col ? 1 : -1) == -side)
            status = cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "%s: entry %d %d, expected all in one triangle (origin 4)",
                                    name, row, col);
        side = row > col ? 1 : -1;
        put(matrix, col, row, matrix->value[matrix->view.entries - 1]);
    }
    return status;
}

static cairn_status sparse_columns(cairn_scan *scan, const char *name, int entries, cairn_matrix *matrix) {
    cairn_status status = take(scan, entries, 6, name, matrix);
    for (int j = 0; j < matrix->view.cols && status == CAIRN_OK; j++) {
        int number, first = matrix->view.entries, last = 0, row = 0;
        status = cairn_scan_expect(scan, "col");
        if (status == CAIRN_OK)
            status = cairn_scan_int(scan, "column", j, j, &number);
        if (status == CAIRN_OK)
            status = cairn_scan_expect(scan, ":");
        if (status == CAIRN_OK)
            status = cairn_scan_expect(scan, "locations");
        if (status == CAIRN_OK)
            status = cairn_scan_int(scan, "first location", first, first, &number);
        if (status == CAIRN_OK)
            status = cairn_scan_expect(scan, "to");
        if (status == CAIRN_OK)
            status = cairn_scan_int(scan, "last location", first - 1, entries - 1, &last);
        for (int k = first; k <= last && status == CAIRN_OK; k++) {
            status = cairn_scan_int(scan, "row of an entry", 0, matrix->view.rows - 1, &row);
            if (status == CAIRN_OK)
                status = sparse_entry(scan, name, row, j, matrix);
        }
    }
    if (status == CAIRN_OK && matrix->view.entries != entries)
        status = cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "%s: %d entries in the columns, expected nnz = %d", name,
                                matrix->view.entries, entries);
    return status;
}

/* Makes rows of what was read as columns. */
static void transpose(cairn_matrix *matrix) {
    int *rows = matrix->index;
    matrix->index = matrix->other;
    matrix->other = rows;
    matrix->view.row = matrix->index;
    matrix->view.col = matrix->other;
}

/* The origin, if there is one, and the title line; the word behind them is the next one. */
static cairn_status sparse_head(cairn_scan *scan, const char *name, int *origin) {
    cairn_status status = cairn_scan_word(scan);
    if (status == CAIRN_OK && cairn_scan_whole(scan->word, origin))
        status = cairn_scan_word(scan);
    if (status == CAIRN_OK && (strcmp(scan->word, "CSparse") == 0 || strcmp(scan->word, "CXSparse") == 0)) {
        cairn_scan_skip_line(scan);
        status = cairn_scan_word(scan);
    }
    if (status == CAIRN_OK && strcmp(scan->word, "(null)") == 0)
        status = cairn_scan_bad(scan, CAIRN_ERROR_PARSE,
                                "%s: found (null), which Siconos prints where it has no matrix (origin %d); expected "
                                "triplets or columns",
                                name, *origin);
    return status;
}

static cairn_status sparse_matrix(cairn_scan *scan, const char *name, cairn_matrix *matrix) {
    int origin = 0, entries = 0;
    cairn_status status = sparse_head(scan, name, &origin);
    if (status != CAIRN_OK)
        return status;
    bool columns = strcmp(scan->word, "triplet:") != 0, square = matrix->view.rows == matrix->view.cols;
    if ((origin == ORIGIN_ROWS && columns && !square) || (origin == ORIGIN_HALF && (columns || !square)))
        return cairn_scan_bad(scan, CAIRN_ERROR_UNSUPPORTED,
                              "%s, %d x %d, was printed from %s, which CSparse's text does not show faithfully; "
                              "expected %s",
                              name, matrix->view.rows, matrix->view.cols,
                              origin == ORIGIN_ROWS ? "compressed rows" : "one triangle",
                              origin == ORIGIN_ROWS ? "a square matrix" : "square triplets");
    if (!columns)
        status = cairn_scan_word(scan);
    if (status == CAIRN_OK)
        status = sparse_sizes(scan, matrix, columns, &entries);
    if (status != CAIRN_OK)
        return status;
    if (!columns)
        return sparse_triplets(scan, name, origin == ORIGIN_HALF, entries, matrix);
    status = sparse_columns(scan, name, entries, matrix);
    if (status == CAIRN_OK && origin == ORIGIN_ROWS)
        transpose(matrix);
    return status;
}

cairn_status cairn_scan_matrix(cairn_scan *scan, const char *name, cairn_matrix *matrix) {
    int storage = 0;
    matrix->view = (cairn_sparse){0};
    cairn_status status = cairn_scan_int(scan, "storage of a matrix", 0, 2, &storage);
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "rows of a matrix", 0, INT_MAX, &matrix->view.rows);
    if (status == CAIRN_OK)
        status = cairn_scan_int(scan, "columns of a matrix", 0, INT_MAX, &matrix->view.cols);
    if (status == CAIRN_OK)
        status = storage == 0   ? dense_matrix(scan, name, matrix)
                 : storage == 1 ? block_matrix(scan, name, matrix)
                                : sparse_matrix(scan, name, matrix);
    if (status != CAIRN_OK)
        cairn_matrix_free(scan->context, matrix);
    return status;
}
