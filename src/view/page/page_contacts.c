/*
 * page_contacts.c: the contacts of a chunk of frames as integers that are mostly small.
 *
 *     block "contacts-k": the number of contacts of each frame of the chunk,
 *         then 16 columns over all contacts of the chunk:
 *     a, b, point (3), normal (3, in units of 1/8191), exponent e, impulse m (3), gap,
 *         place in the list of mu, status, residual
 *
 * An impulse is m 2^(base + e), none when e is 0. The largest |m| lies in (2048, 4096], but no unit
 * is smaller than 2^-24 of the frame's largest impulse: below that there is only the error of the
 * solver. The gap and the residual have steps of 1 % and 9 % (cairn_quantise_log).
 *
 * Contacts of a frame are sorted by their bodies, so that those of one pair are neighbours. Numbers
 * are given as they are, or less a number that is known (before: the contact of the frame before
 * with the same bodies and the same place among those of these bodies; left: the neighbour before
 * this one in this frame):
 *     a          less that of left                     b          less that of left when a is the same
 *     point      less before, or else less left of the same pair
 *     normal     less left of the same pair, or else less before
 *     impulse    less before when e is the same        gap, mu, status, residual   less before
 */
#include "view/page/page_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16, POINT = 2, NORMAL = 5, EXPONENT = 8, IMPULSE = 9, GAP = 12, FLOOR_BITS = 24 };

typedef struct contact {
    int order; /* in the recording */
    int32_t x[COLUMNS];
} contact;

typedef struct list {
    contact *item;
    int count, capacity;
} list;

static int by_bodies(const void *p, const void *q) {
    const contact *a = p, *b = q;
    for (int c = 0; c < 2; c++)
        if (a->x[c] != b->x[c])
            return a->x[c] < b->x[c] ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static int descending(const void *p, const void *q) {
    double a = *(const double *)p, b = *(const double *)q;
    return (a < b) - (a > b);
}

static double strength(const cairn_frame *f, int i) {
    const double *p = f->contact_impulse + (ptrdiff_t)3 * i;
    return hypot(hypot(p[0], p[1]), p[2]);
}

/* least: the least exponent of a unit. */
static void put_impulse(const cairn_view *v, const double *p, int least, int32_t *x) {
    double largest = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
    int exponent = 0;
    if (!(largest > 0.0) || !isfinite(largest))
        return;
    frexp(largest, &exponent);
    int unit = exponent - CAIRN_IMPULSE_BITS > least ? exponent - CAIRN_IMPULSE_BITS : least;
    bool any = false;
    for (int c = 0; c < 3; c++) {
        x[IMPULSE + c] = cairn_quantise(p[c], ldexp(1.0, unit));
        any = any || x[IMPULSE + c] != 0;
    }
    x[EXPONENT] = any ? unit - v->impulse_base : 0;
}

static int mu_place(const cairn_view *v, double mu) {
    for (int i = 0; i < v->mus; i++)
        if (v->mu[i] == mu)
            return i;
    return 0;
}

static void take_contact(const cairn_view *v, const cairn_frame *f, int i, int least, contact *to) {
    memset(to->x, 0, sizeof to->x);
    to->order = i;
    for (int c = 0; c < 2; c++)
        to->x[c] = f->contact_body[2 * i + c];
    for (int c = 0; c < 3; c++) {
        to->x[POINT + c] = cairn_quantise(f->contact_point[3 * i + c], v->point_quantum);
        to->x[NORMAL + c] = cairn_quantise(f->contact_normal[3 * i + c], 1.0 / 8191);
    }
    put_impulse(v, f->contact_impulse + (ptrdiff_t)3 * i, least, to->x);
    to->x[GAP] = cairn_quantise_log(f->contact_gap[i], v->least_gap);
    to->x[GAP + 1] = mu_place(v, f->contact_mu[i]);
    to->x[GAP + 2] = f->contact_status[i];
    to->x[GAP + 3] = cairn_quantise_log(f->contact_residual[i], 1e-12) / 8; /* enough for colours */
}

static cairn_status make_room(cairn_context *context, list *l, int count) {
    if (count <= l->capacity)
        return CAIRN_OK;
    contact *larger = cairn_alloc(context, (size_t)count + (size_t)count / 4, sizeof *larger);
    if (larger == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_free(context, l->item);
    l->item = larger;
    l->capacity = count + count / 4;
    return CAIRN_OK;
}

/* The least exponent of a unit of impulse in a frame: FLOOR_BITS below the largest one, and not
 * below what the page can say. */
static int least_unit(const cairn_view *v, const cairn_frame *f) {
    double strongest = 0.0;
    int exponent = 0, lowest = v->impulse_base + 1;
    for (int i = 0; i < 3 * f->contacts; i++)
        if (isfinite(f->contact_impulse[i]))
            strongest = fmax(strongest, fabs(f->contact_impulse[i]));
    frexp(strongest, &exponent);
    return strongest > 0.0 && exponent - FLOOR_BITS > lowest ? exponent - FLOOR_BITS : lowest;
}

/* The contacts of a frame that are kept: the share with the largest impulses. */
static cairn_status take_frame(const cairn_view *v, const cairn_frame *f, list *now) {
    int wanted = (int)ceil(v->share * f->contacts), above = 0, unit = least_unit(v, f);
    double least = -1.0;
    cairn_status status = make_room(v->context, now, f->contacts);
    if (status == CAIRN_OK && wanted < f->contacts) {
        double *all = cairn_alloc(v->context, (size_t)f->contacts, sizeof *all);
        if (all == NULL)
            return CAIRN_ERROR_MEMORY;
        for (int i = 0; i < f->contacts; i++)
            all[i] = strength(f, i);
        qsort(all, (size_t)f->contacts, sizeof *all, descending);
        least = wanted > 0 ? all[wanted - 1] : INFINITY;
        while (above < wanted && all[above] > least)
            above++;
        cairn_free(v->context, all);
    }
    int equal = wanted - above; /* of those exactly as strong as the last one kept */
    now->count = 0;
    for (int i = 0; i < f->contacts && status == CAIRN_OK; i++) {
        double s = strength(f, i);
        if (s > least || (s == least && equal-- > 0))
            take_contact(v, f, i, unit, &now->item[now->count++]);
    }
    if (now->count > 1)
        qsort(now->item, (size_t)now->count, sizeof *now->item, by_bodies);
    return status;
}

/* What a number of a contact is given less; before and left may be NULL. */
static int32_t known(const contact *c, const contact *before, const contact *left, int k) {
    bool pair = left != NULL && left->x[0] == c->x[0] && left->x[1] == c->x[1];
    if (k < POINT)
        return left != NULL && (k == 0 || left->x[0] == c->x[0]) ? left->x[k] : 0;
    if (k == EXPONENT)
        return 0;
    if (k >= IMPULSE && k < GAP)
        return before != NULL && before->x[EXPONENT] == c->x[EXPONENT] ? before->x[k] : 0;
    bool normal = k >= NORMAL && k < EXPONENT;
    if (pair && (normal || (k < NORMAL && before == NULL)))
        return left->x[k];
    return before != NULL ? before->x[k] : 0;
}

/* Adds the columns of the frame, less what is known. */
static void add_frame(cairn_bytes *column, const list *now, const list *last) {
    int place = 0;
    for (int i = 0; i < now->count; i++) {
        const contact *c = &now->item[i], *left = i > 0 ? c - 1 : NULL, *before = NULL;
        bool first = left == NULL || left->x[0] != c->x[0] || left->x[1] != c->x[1];
        while (first && place < last->count &&
               (last->item[place].x[0] < c->x[0] ||
                (last->item[place].x[0] == c->x[0] && last->item[place].x[1] < c->x[1])))
            place++;
        if (place < last->count && last->item[place].x[0] == c->x[0] && last->item[place].x[1] == c->x[1])
            before = &last->item[place++];
        for (int k = 0; k < COLUMNS; k++) {
            int32_t x = (int32_t)((uint32_t)c->x[k] - (uint32_t)known(c, before, left, k));
            cairn_bytes_add(&column[k], &x, sizeof x);
        }
    }
}

static cairn_status add_chunk(cairn_view *v, int begin, int count, list *now, list *last, cairn_bytes *column,
                              cairn_bytes *raw) {
    int32_t counts[64];
    last->count = 0;
    for (int k = 0; k < count; k++) {
        cairn_frame f;
        cairn_status status = cairn_recording_frame(v->recording, v->frame[begin + k], &f);
        if (status == CAIRN_OK)
            status = take_frame(v, &f, now);
        if (status != CAIRN_OK)
            return status;
        add_frame(column, now, last);
        counts[k] = now->count;
        v->kept += now->count;
        list swap = *last;
        *last = *now;
        *now = swap;
    }
    cairn_bytes_planes(raw, (size_t)count, counts);
    for (int k = 0; k < COLUMNS; k++) {
        cairn_bytes_planes(raw, column[k].size / sizeof(int32_t), (const int32_t *)(const void *)column[k].data);
        raw->failed = raw->failed || column[k].failed;
        column[k].size = 0;
    }
    return raw->failed ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

cairn_status cairn_view_contacts(cairn_view *v, cairn_bytes *out) {
    list now = {0}, last = {0};
    cairn_bytes column[COLUMNS], raw = {.context = v->context};
    for (int k = 0; k < COLUMNS; k++)
        column[k] = raw;
    cairn_status status = CAIRN_OK;
    v->kept = 0;
    for (int begin = 0; begin < v->frames && status == CAIRN_OK; begin += v->chunk) {
        int count = v->frames - begin < v->chunk ? v->frames - begin : v->chunk;
        status = add_chunk(v, begin, count, &now, &last, column, &raw);
        if (status == CAIRN_OK)
            cairn_view_block(out, "contacts", begin / v->chunk, &raw);
    }
    for (int k = 0; k < COLUMNS; k++)
        cairn_bytes_free(&column[k]);
    cairn_bytes_free(&raw);
    cairn_free(v->context, now.item);
    cairn_free(v->context, last.item);
    return status;
}
