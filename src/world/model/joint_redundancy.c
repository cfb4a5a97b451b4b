/*
 * joint_redundancy.c: rows of joints that say nothing new.
 *
 *     N = D'H^-1 D over the rows that hold the joints, scaled to a diagonal of 1, is factored row by row: L_j,0..j-1 from the rows kept so far, and
 *     d = 1 - |L_j|^2 is the part of row j that they do not determine. d <= DEPENDENT: row j is redundant, and is left out.
 *
 * The rows kept are the first ones that will do, in the order of the joints; their number is the rank. Which reactions redundant rows share is not determined
 * by the motion; the solvers' penalty on bilateral rows, rho_b n_i, chooses those of least norm [theory 2]. Bodies that cannot be pushed do not enter. Drives are not looked at.
 */
#include "world/flexible/flexible.h"

#include <math.h>

#define DEPENDENT 1e-10
#define ROWS_MOST 4000 /* N is dense */

typedef struct link {
    int joint, row;
    int body[3];        /* slots; 0: cannot be pushed */
    double part[3][6];  /* of D */
    double image[3][6]; /* of H^-1 D */
    const cairn_spread
        *at[3]; /* points of flexible parts: the first three of part over its vectors; H is their lumped mass here */
} link;

static void set_part(const cairn_world *w, link *l, int end, int slot, const double *part, double scale) {
    const cairn_rigid *r = &w->rigid[slot];
    l->body[end] = slot > 0 && w->slot[slot].kind == CAIRN_BODY_DYNAMIC ? slot : 0;
    if (l->body[end] == 0)
        return;
    if (l->at[end]->count > 0) {
        for (int i = 0; i < 3; i++)
            l->part[end][i] = scale * part[i];
        return;
    }
    cairn_vec3 spin = cairn_mat3_solve(&r->inertia, cairn_vec3_of(part[3], part[4], part[5]));
    const double turned[] = {spin.x, spin.y, spin.z};
    for (int i = 0; i < 6; i++) {
        l->part[end][i] = scale * part[i];
        l->image[end][i] = scale * (i < 3 ? part[i] / r->mass : turned[i - 3]);
    }
}

static void set_parts(const cairn_world *w, link *l, const cairn_joint_data *j, const cairn_joint_row *row,
                      double scale) {
    set_part(w, l, 0, j->a, row->a, scale);
    set_part(w, l, 1, j->b, row->b, scale);
    set_part(w, l, 2, j->carrier, row->c, scale);
}

/* The same for two points of one part. */
static double spread_product(const cairn_world *w, const link *a, int i, const link *b, int j) {
    const cairn_flex *f = w->slot[a->body[i]].flex;
    const cairn_spread *p = a->at[i], *q = b->at[j];
    double sum = 0.0;
    for (int k = 0; k < p->count; k++)
        for (int l = 0; l < q->count; l++)
            for (int c = 0; c < 3 && p->vector[k] == q->vector[l]; c++)
                if (!cairn_flex_held(f, p->vector[k], c) && f->part->lumped[p->vector[k]] > 0.0)
                    sum += p->weight[k] * q->weight[l] * a->part[i][c] * b->part[j][c] / f->part->lumped[p->vector[k]];
    return sum;
}

static double product(const cairn_world *w, const link *a, const link *b) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (a->body[i] == 0 || a->body[i] != b->body[j])
                continue;
            if (a->at[i]->count > 0 || b->at[j]->count > 0) {
                sum += spread_product(w, a, i, b, j);
                continue;
            }
            for (int k = 0; k < 6; k++)
                sum += a->part[i][k] * b->image[j][k];
        }
    return sum;
}

/* The holding rows of all joints, each scaled to product 1 with itself. link NULL: counts. */
static int list_rows(const cairn_world *w, link *list) {
    static const cairn_spread rigid = {0};
    int count = 0;
    for (int i = 1; i < w->joints; i++) {
        const cairn_joint_slot *j = &w->joint[i];
        if (j->generation % 2 == 0)
            continue;
        cairn_joint_rows rows;
        cairn_rigid a = cairn_joint_end(w, j, 0), b = cairn_joint_end(w, j, 1);
        cairn_joint_ends ends = {&a, &b, &w->rigid[j->data.carrier]};
        cairn_joint_write(&j->data, ends, w->time, w->def.step, &rows);
        for (int k = 0; k < rows.rows; k++) {
            if (rows.row[k].drive != 0.0 || rows.row[k].C > 0.0)
                continue;
            link l = {.joint = i, .row = k, .at = {&j->at[0], &j->at[1], &rigid}};
            set_parts(w, &l, &j->data, &rows.row[k], 1.0);
            double size = product(w, &l, &l);
            set_parts(w, &l, &j->data, &rows.row[k], size > 0.0 ? 1.0 / sqrt(size) : 0.0);
            if (list != NULL)
                list[count] = l;
            count++;
        }
    }
    return count;
}

/* kept: which rows; L: rows x rows, row by row. Returns how many. */
static int factor(const cairn_world *w, int rows, const link *list, double *L, int *kept) {
    int rank = 0;
    for (int j = 0; j < rows; j++) {
        double *own = L + (size_t)rank * (size_t)rows, rest = product(w, &list[j], &list[j]);
        for (int i = 0; i < rank; i++) {
            const double *other = L + (size_t)i * (size_t)rows;
            double sum = product(w, &list[kept[i]], &list[j]);
            for (int k = 0; k < i; k++)
                sum -= other[k] * own[k];
            own[i] = sum / other[i];
            rest -= own[i] * own[i];
        }
        if (!(rest > DEPENDENT))
            continue;
        own[rank] = sqrt(rest);
        kept[rank++] = j;
    }
    return rank;
}

cairn_status cairn_world_redundancy(cairn_world *w, cairn_redundant_row *row, int capacity, cairn_redundancy *found) {
    cairn_status usable = cairn_world_check(w, true, found != NULL && (row != NULL || capacity <= 0),
                                            "cairn_world_redundancy");
    if (usable != CAIRN_OK)
        return usable;
    *found = (cairn_redundancy){.rows = list_rows(w, NULL)};
    if (found->rows > ROWS_MOST)
        return cairn_fail(w->context, CAIRN_ERROR_UNSUPPORTED,
                          "redundancy: %d rows of joints; at most %d are looked at", found->rows, ROWS_MOST);
    size_t n = (size_t)found->rows;
    link *list = cairn_alloc(w->context, n + 1, sizeof *list);
    double *L = cairn_alloc(w->context, n * n + 1, sizeof *L);
    int *kept = cairn_alloc(w->context, n + 1, sizeof *kept);
    if (list != NULL && L != NULL && kept != NULL) {
        list_rows(w, list);
        found->rank = factor(w, found->rows, list, L, kept);
        for (int j = 0, next = 0; j < found->rows; j++) {
            if (next < found->rank && kept[next] == j) {
                next++;
                continue;
            }
            if (found->redundant < capacity)
                row[found->redundant] = (cairn_redundant_row){
                    {(uint32_t)list[j].joint, w->joint[list[j].joint].generation}, list[j].row};
            found->redundant++;
        }
    }
    cairn_status status = list != NULL && L != NULL && kept != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    cairn_free(w->context, list);
    cairn_free(w->context, L);
    cairn_free(w->context, kept);
    return status;
}
