/*
 * view_contacts.c: the contacts of a chunk of frames as integers that are mostly small.
 *
 *     block "contacts-k": the number of contacts of each frame of the chunk, then 16 columns over all contacts of the chunk:
 *     a, b, point (3), normal (3, in units of 1/32767), exponent, impulse (3), gap, place in the list of mu, status, residual
 *
 * An impulse is m 2^exponent/4096 with the largest |m| in (2048, 4096]; exponent -128: none. The gap has steps of 1 %
 * (cairn_quantise_log). Contacts of a frame are sorted by their bodies. From the column point on, a contact is given by its differences from
 * the contact of the frame before that has the same bodies and the same place among those of these bodies; the impulse only when the exponents
 * are equal. A contact without such a predecessor is given as it is.
 */
#include "view_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 16, POINT = 2, EXPONENT = 8, IMPULSE = 9, GAP = 12, NO_IMPULSE = -128 };

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

static void put_impulse(const double *p, int32_t *x) {
    double largest = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
    int exponent = 0;
    x[EXPONENT] = NO_IMPULSE;
    if (!(largest > 1e-30) || !isfinite(largest))
        return;
    frexp(largest, &exponent);
    x[EXPONENT] = exponent;
    for (int c = 0; c < 3; c++)
        x[IMPULSE + c] = cairn_quantise(p[c], ldexp(1.0, exponent - 12));
}

static int mu_place(const cairn_view *v, double mu) {
    for (int i = 0; i < v->mus; i++)
        if (v->mu[i] == mu)
            return i;
    return 0;
}

static void take_contact(const cairn_view *v, const cairn_frame *f, int i, contact *to) {
    memset(to->x, 0, sizeof to->x);
    to->order = i;
    for (int c = 0; c < 2; c++)
        to->x[c] = f->contact_body[2 * i + c];
    for (int c = 0; c < 3; c++) {
        to->x[POINT + c] = cairn_quantise(f->contact_point[3 * i + c], v->position_quantum);
        to->x[POINT + 3 + c] = cairn_quantise(f->contact_normal[3 * i + c], 1.0 / 32767);
    }
    put_impulse(f->contact_impulse + (ptrdiff_t)3 * i, to->x);
    to->x[GAP] = cairn_quantise_log(f->contact_gap[i]);
    to->x[GAP + 1] = mu_place(v, f->contact_mu[i]);
    to->x[GAP + 2] = f->contact_status[i];
    to->x[GAP + 3] = cairn_quantise_log(f->contact_residual[i]) / 8; /* steps of 9 % are enough for colours */
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

/* The contacts of a frame that are kept: the share with the largest impulses. */
static cairn_status take_frame(const cairn_view *v, const cairn_frame *f, list *now) {
    int wanted = (int)ceil(v->share * f->contacts), above = 0;
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
            take_contact(v, f, i, &now->item[now->count++]);
    }
    if (now->count > 1)
        qsort(now->item, (size_t)now->count, sizeof *now->item, by_bodies);
    return status;
}

/* Adds the columns of the frame, less what the frame before tells. */
static cairn_status add_frame(cairn_bytes *column, const list *now, const list *last) {
    int place = 0;
    for (int i = 0; i < now->count; i++) {
        const contact *c = &now->item[i], *old = NULL;
        bool first = i == 0 || c[-1].x[0] != c->x[0] || c[-1].x[1] != c->x[1];
        while (first && place < last->count &&
               (last->item[place].x[0] < c->x[0] ||
                (last->item[place].x[0] == c->x[0] && last->item[place].x[1] < c->x[1])))
            place++;
        if (place < last->count && last->item[place].x[0] == c->x[0] && last->item[place].x[1] == c->x[1])
            old = &last->item[place++];
        for (int k = 0; k < COLUMNS; k++) {
            int32_t x = c->x[k];
            bool impulse = k >= IMPULSE && k < GAP;
            if (old != NULL && k >= POINT && (!impulse || old->x[EXPONENT] == c->x[EXPONENT]))
                x = (int32_t)((uint32_t)x - (uint32_t)old->x[k]);
            cairn_bytes_add(&column[k], &x, sizeof x);
        }
    }
    return CAIRN_OK;
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
        if (status == CAIRN_OK)
            status = add_frame(column, now, last);
        if (status != CAIRN_OK)
            return status;
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
