/*
 * test_linalg_renew.c: a factorisation of which only a part is renewed against a whole one, bit by bit: random patterns, tasks and
 * threads, bad pivots, and what a renewal does not read.
 */
#include "support/refusing.h"

#include "linalg/factor/factor_cache.h"
#include "linalg/factor/factor_data.h"

/* Groups of rows on a graph, all blocks dense. */
typedef struct blocks {
    int groups, n, entries;
    int *group_start, *start, *index;
    unsigned char *changing; /* groups */
    double *value;
} blocks;

static int group_of(const blocks *b, int row) {
    int g = 0;
    while (b->group_start[g + 1] <= row)
        g++;
    return g;
}

/* joined (groups x groups, symmetric, diagonal set); groups of `least` to `least + spread` rows. */
static blocks make(test_random *r, int groups, const bool *joined, int least, int spread) {
    blocks b = {.groups = groups};
    b.group_start = calloc((size_t)groups + 1, sizeof(int));
    b.changing = calloc((size_t)groups, 1);
    for (int g = 0; g < groups; g++)
        b.group_start[g + 1] = b.group_start[g] + least + (int)(test_random_unit(r) * (spread + 1));
    b.n = b.group_start[groups];
    b.start = calloc((size_t)b.n + 1, sizeof(int));
    for (int pass = 0; pass < 2; pass++) {
        int used = 0;
        for (int g = 0; g < groups; g++)
            for (int c = b.group_start[g]; c < b.group_start[g + 1]; c++) {
                for (int h = 0; h < groups; h++)
                    for (int i = b.group_start[h]; joined[h * groups + g] && i < b.group_start[h + 1]; i++, used++)
                        if (pass == 1)
                            b.index[used] = i;
                b.start[c + 1] = used;
            }
        b.entries = used;
        if (pass == 0)
            b.index = calloc((size_t)used, sizeof(int));
    }
    b.value = calloc((size_t)b.entries, sizeof(double));
    return b;
}

static void free_blocks(blocks *b) {
    free(b->group_start);
    free(b->start);
    free(b->index);
    free(b->changing);
    free(b->value);
}

/* New numbers, in blocks of two changing groups only unless all; dominant, so that every order has its factors. */
static void draw(blocks *b, test_random *r, bool all) {
    for (int g = 0, h = 0; g < b->groups; g++)
        for (int j = b->group_start[g]; j < b->group_start[g + 1]; j++)
            for (int e = b->start[j]; e < b->start[j + 1]; e++) {
                h = e == b->start[j] ? 0 : h;
                while (b->group_start[h + 1] <= b->index[e])
                    h++;
                double x = test_random_signed(r);
                if (!all && !(b->changing[g] && b->changing[h]))
                    continue;
                b->value[e] = b->index[e] == j ? b->start[j + 1] - b->start[j] + x : x;
            }
}

static cairn_factor *analyzed(cairn_context *context, const blocks *b, bool symmetric) {
    cairn_factor *f = NULL;
    CHECK(cairn_factor_analyze_within(context, b->n, b->start, b->index, b->groups, b->group_start, symmetric, SIZE_MAX,
                                      b->changing, &f) == CAIRN_OK);
    return f;
}

static bool same_numbers(const cairn_factor *a, const cairn_factor *b) {
    size_t panels = (size_t)a->panel_size * sizeof(double), n = (size_t)a->n * sizeof(double);
    return a->panel_size == b->panel_size && memcmp(a->lower, b->lower, panels) == 0 &&
           memcmp(a->upper, b->upper, panels) == 0 && memcmp(a->pivot, b->pivot, n) == 0 &&
           memcmp(a->inverse, b->inverse, n) == 0;
}

/* Multiply-adds of columns outside kept panels, from the fill of the pattern. */
static double renewed_flops(const blocks *b, const cairn_factor *f, bool symmetric) {
    size_t n = (size_t)b->n;
    bool *fill = calloc(n * n, sizeof *fill);
    int *place = calloc(n, sizeof *place);
    double flops = 0.0;
    for (size_t k = 0; k < n; k++)
        place[f->order[k]] = (int)k;
    for (size_t j = 0; j < n; j++)
        for (int e = b->start[j]; e < b->start[j + 1]; e++)
            fill[(size_t)place[b->index[e]] * n + (size_t)place[j]] = true;
    for (size_t k = 0, s = 0; k < n; k++) {
        double c = 0.0;
        for (size_t i = k + 1; i < n; i++) {
            if (!fill[i * n + k])
                continue;
            c++;
            for (size_t j = k + 1; j < n; j++)
                fill[i * n + j] |= fill[j * n + k];
        }
        while (f->first[s + 1] <= (int)k)
            s++;
        flops += f->keep != NULL && f->keep[s] ? 0.0 : symmetric ? 0.5 * c * (c + 1.0) : c * c;
    }
    free(fill);
    free(place);
    return flops;
}

/* One factor renewed, one made whole, again and again. Returns whether something was kept. */
static bool check_renewals(cairn_context *context, blocks *b, test_random *r, bool symmetric, bool dense) {
    cairn_factor *f = analyzed(context, b, symmetric), *whole = analyzed(context, b, symmetric);
    draw(b, r, true);
    CHECK(cairn_factor_renew(f, b->value, NULL) == CAIRN_OK && !cairn_factor_partial(f)); /* the first is whole */
    for (int round = 0; round < 3; round++) {
        draw(b, r, false);
        CHECK(cairn_factor_renew(f, b->value, NULL) == CAIRN_OK);
        CHECK(cairn_factor_numeric(whole, b->value, NULL) == CAIRN_OK);
        CHECK(cairn_factor_partial(f) == (f->keep != NULL) && !cairn_factor_partial(whole));
        CHECK(same_numbers(f, whole));
        CHECK(!cairn_factor_partial(f) || cairn_factor_renew_flops(f) < cairn_factor_flops(f));
        double *x = calloc((size_t)b->n, sizeof *x), *y = calloc((size_t)b->n, sizeof *y);
        for (int i = 0; i < b->n; i++)
            x[i] = y[i] = test_random_signed(r);
        cairn_factor_solve(f, x); /* solves use the same work space */
        cairn_factor_solve(whole, y);
        CHECK(memcmp(x, y, (size_t)b->n * sizeof *x) == 0);
        free(x);
        free(y);
    }
    if (dense)
        CHECK(cairn_factor_renew_flops(f) == renewed_flops(b, f, symmetric));
    bool kept = f->keep != NULL;
    cairn_factor_destroy(f);
    cairn_factor_destroy(whole);
    return kept;
}

TEST(random_patterns) {
    test_random r = {3};
    counter c = {0};
    cairn_context *context = counted_context(&c);
    int kept = 0;
    for (int trial = 0; trial < 120; trial++) {
        enum { MOST = 40 };
        static bool joined[MOST * MOST];
        int groups = 1 + (int)(test_random_unit(&r) * MOST);
        double edges = 3.0 * test_random_unit(&r), part = test_random_unit(&r);
        for (int g = 0; g < groups; g++)
            for (int h = 0; h <= g; h++)
                joined[g * groups + h] = joined[h * groups + g] = g == h || h == g - 1 ||
                                                                  test_random_unit(&r) * groups < edges;
        blocks b = make(&r, groups, joined, 1, 10);
        for (int g = 0; g < groups; g++)
            b.changing[g] = test_random_unit(&r) < part;
        kept += check_renewals(context, &b, &r, trial % 2 == 0, b.n < 120);
        free_blocks(&b);
    }
    CHECK(kept > 60);
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

/* A comb: a bar of bodies with long arms. What lies in the arms and touches nothing is kept, and is all that is. */
TEST(arms_of_a_machine_are_kept) {
    enum { ARMS = 6, LENGTH = 9, GROUPS = ARMS * (LENGTH + 1) };
    static bool joined[GROUPS * GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        int up = g % (LENGTH + 1) == 0 ? g - LENGTH - 1 : g - 1;
        joined[g * GROUPS + g] = true;
        if (up >= 0)
            joined[g * GROUPS + up] = joined[up * GROUPS + g] = true;
    }
    test_random r = {8};
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    blocks b = make(&r, GROUPS, joined, 11, 0);
    for (int arm = 0; arm < ARMS; arm++)
        b.changing[arm * (LENGTH + 1)] = 1;
    cairn_factor *f = analyzed(context, &b, true);
    double chain = 0.5 * (11.0 * 16.0 * 17.0); /* less than one link of an arm takes */
    CHECK(cairn_factor_renew_flops(f) < cairn_factor_flops(f) - ARMS * LENGTH * chain);
    for (int s = 0; s < f->panels; s++)
        for (int k = f->first[s]; k < f->first[s + 1]; k++)
            CHECK(f->keep[s] == !b.changing[group_of(&b, f->order[k])]);
    cairn_factor_destroy(f);
    CHECK(check_renewals(context, &b, &r, true, false) && check_renewals(context, &b, &r, false, false));
    memset(b.changing, 1, (size_t)b.groups); /* nothing to keep */
    CHECK(!check_renewals(context, &b, &r, true, false));
    memset(b.changing, 0, (size_t)b.groups); /* nothing to renew: whole, as nobody has said what else */
    CHECK(!check_renewals(context, &b, &r, true, false));
    free_blocks(&b);
    cairn_context_destroy(context);
}

/* A renewal must not look at what it keeps: a number that has changed there, against the promise, is not seen. */
TEST(kept_numbers_are_not_read) {
    enum { GROUPS = 12 };
    static bool joined[GROUPS * GROUPS];
    for (int g = 0; g < GROUPS; g++)
        for (int h = 0; h < GROUPS; h++)
            joined[g * GROUPS + h] = g - h <= 1 && h - g <= 1;
    test_random r = {4};
    counter c = {0};
    cairn_context *context = counted_context(&c);
    blocks b = make(&r, GROUPS, joined, 6, 0);
    b.changing[GROUPS - 1] = b.changing[GROUPS - 2] = 1;
    draw(&b, &r, true);
    cairn_factor *f = analyzed(context, &b, true), *other = analyzed(context, &b, true);
    int calls = c.calls;
    CHECK(cairn_factor_numeric(f, b.value, NULL) == CAIRN_OK && cairn_factor_numeric(other, b.value, NULL) == CAIRN_OK);
    b.value[0] *= 2.0;
    CHECK(cairn_factor_renew(f, b.value, NULL) == CAIRN_OK && same_numbers(f, other));
    CHECK(cairn_factor_numeric(f, b.value, NULL) == CAIRN_OK && !same_numbers(f, other));
    /* A bad pivot in what is renewed is named, and does not spoil what is kept. */
    int last = b.n - 1, entry = b.entries - 1;
    double good = b.value[entry];
    b.value[entry] = -1e9;
    CHECK(cairn_factor_renew(f, b.value, NULL) == CAIRN_ERROR_NUMERICAL && cairn_factor_failed_row(f) == last);
    b.value[entry] = good;
    CHECK(cairn_factor_renew(f, b.value, NULL) == CAIRN_OK && cairn_factor_partial(f));
    CHECK(cairn_factor_numeric(other, b.value, NULL) == CAIRN_OK && same_numbers(f, other));
    /* One in what is kept is found again. */
    b.value[0] = -1e9;
    CHECK(cairn_factor_numeric(f, b.value, NULL) == CAIRN_ERROR_NUMERICAL);
    CHECK(cairn_factor_renew(f, b.value, NULL) == CAIRN_ERROR_NUMERICAL && cairn_factor_failed_row(f) == 0);
    CHECK(c.calls == calls);
    cairn_factor_destroy(f);
    cairn_factor_destroy(other);
    free_blocks(&b);
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

/* A grid in space, large enough for tasks; one corner changes. The same bits for every number of threads. */
TEST(tasks_and_threads) {
    enum { SIDE = 9, GROUPS = SIDE * SIDE * SIDE };
    bool *joined = calloc((size_t)GROUPS * GROUPS, sizeof *joined);
    for (int g = 0; g < GROUPS; g++)
        for (int h = 0; h < GROUPS; h++) {
            int dx = abs(g % SIDE - h % SIDE), dy = abs(g / SIDE % SIDE - h / SIDE % SIDE),
                dz = abs(g / SIDE / SIDE - h / SIDE / SIDE);
            joined[g * GROUPS + h] = dx + dy + dz <= 1;
        }
    test_random r = {6};
    blocks b = make(&r, GROUPS, joined, 3, 0);
    free(joined);
    for (int g = 0; g < GROUPS; g++)
        b.changing[g] = g % SIDE < 3 && g / SIDE % SIDE < 3;
    double *changed = calloc((size_t)b.entries, sizeof *changed);
    draw(&b, &r, true);
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        cairn_factor *first = NULL;
        cairn_context *context[3] = {NULL};
        for (int i = 0; i < 3; i++) {
            cairn_context_def def = cairn_default_context_def();
            def.threads = 1 << i;
            CHECK(cairn_context_create(&def, &context[i]) == CAIRN_OK);
            cairn_factor *f = analyzed(context[i], &b, symmetric);
            CHECK(f->tasks > 1 && f->keep != NULL);
            CHECK(cairn_factor_numeric(f, b.value, NULL) == CAIRN_OK);
            if (i == 0) {
                first = f;
                draw(&b, &r, false);
                memcpy(changed, b.value, (size_t)b.entries * sizeof *changed);
                CHECK(cairn_factor_numeric(f, changed, NULL) == CAIRN_OK);
                continue;
            }
            CHECK(cairn_factor_renew(f, changed, NULL) == CAIRN_OK && cairn_factor_partial(f));
            CHECK(same_numbers(first, f));
            cairn_factor_destroy(f);
        }
        cairn_factor_destroy(first);
        for (int i = 0; i < 3; i++)
            cairn_context_destroy(context[i]);
    }
    free(changed);
    free_blocks(&b);
}

TEST(shelf_tells_changing_groups_apart) {
    static const int start[] = {0, 2, 5, 7}, index[] = {0, 1, 0, 1, 2, 1, 2}, group[] = {0, 1, 2, 3};
    static const unsigned char one[] = {1, 0, 0}, other[] = {0, 0, 1};
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    cairn_factor_cache cache = {{NULL}};
    const unsigned char *asked[] = {one, one, other, NULL, NULL};
    for (int i = 0; i < 5; i++) {
        cairn_factor *f = NULL;
        CHECK(cairn_factor_cache_analyze(&cache, context, 3, start, index, 3, group, true, SIZE_MAX, asked[i], &f) ==
              CAIRN_OK);
        CHECK((f->failed_row == 7) == (i == 1 || i == 4));
        f->failed_row = 7; /* to know it again */
        cairn_factor_cache_return(&cache, f);
    }
    cairn_factor_cache_empty(&cache);
    cairn_context_destroy(context);
}

TEST(failing_memory) {
    enum { GROUPS = 5 };
    static bool joined[GROUPS * GROUPS];
    for (int g = 0; g < GROUPS; g++)
        for (int h = 0; h < GROUPS; h++)
            joined[g * GROUPS + h] = g - h <= 1 && h - g <= 1;
    test_random r = {2};
    blocks b = make(&r, GROUPS, joined, 4, 2);
    b.changing[0] = 1;
    for (int refuse = 1;; refuse++) {
        counter c = {0};
        cairn_context *context = counted_context(&c);
        int live = c.live;
        c.refuse = c.calls + refuse;
        cairn_factor_cache cache = {{NULL}};
        cairn_factor *f = NULL;
        cairn_status status = cairn_factor_cache_analyze(&cache, context, b.n, b.start, b.index, b.groups,
                                                         b.group_start, true, SIZE_MAX, b.changing, &f);
        CHECK(status == CAIRN_OK || (status == CAIRN_ERROR_MEMORY && c.live == live));
        cairn_factor_cache_return(&cache, f);
        cairn_factor_cache_empty(&cache);
        cairn_context_destroy(context);
        CHECK(c.live == 0);
        if (status == CAIRN_OK)
            break;
    }
    free_blocks(&b);
}

int main(void) {
    RUN(random_patterns);
    RUN(arms_of_a_machine_are_kept);
    RUN(kept_numbers_are_not_read);
    RUN(tasks_and_threads);
    RUN(shelf_tells_changing_groups_apart);
    RUN(failing_memory);
    return test_end();
}
