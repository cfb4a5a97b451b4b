/*
 * test_sets_table.c: the table of sets, the words that refuse a bad block, runs, and projection over runs.
 */
#include "test_sets_samples.h"

TEST(names) {
    static const char *const name[] = {"bilateral", "nonnegative", "cone",         "dual cone",       "box",
                                       "ball",      "capped cone", "shifted cone", "polyhedral cone", "custom"};
    for (int kind = 0; kind <= CAIRN_SET_CUSTOM; kind++) {
        const cairn_set_class *class = cairn_set_get((cairn_set_kind)kind);
        CHECK(class != NULL && class->check && class->project && class->derivative && class->support);
        CHECK(strcmp(cairn_set_name((cairn_set_kind)kind), name[kind]) == 0);
    }
    CHECK(cairn_set_get((cairn_set_kind)(CAIRN_SET_CUSTOM + 1)) == NULL);
    CHECK(cairn_set_get((cairn_set_kind)-1) == NULL);
    CHECK(strcmp(cairn_set_name((cairn_set_kind)99), "unknown") == 0);
}

static const char *why(cairn_block block) {
    return cairn_set_get(block.set)->check(&block);
}

TEST(samples_are_legal) {
    for (int s = 0; s < SAMPLES; s++)
        CHECK(why(samples[s]) == NULL);
}

TEST(bad_dimensions) {
    for (int kind = 0; kind <= CAIRN_SET_CUSTOM; kind++) {
        cairn_block block = {.set = (cairn_set_kind)kind, .mu = 0.5, .hi = 1.0, .custom = &half_space};
        bool cone = kind == CAIRN_SET_CONE || kind == CAIRN_SET_DUAL_CONE || kind == CAIRN_SET_CAPPED_CONE ||
                    kind == CAIRN_SET_SHIFTED_CONE || kind == CAIRN_SET_POLY_CONE;
        for (block.dim = -1; block.dim <= CAIRN_BLOCK_DIM_MAX + 1; block.dim++) {
            block.directions = block.dim == 2 ? 2 : 4;
            bool legal = cone ? block.dim == 2 || block.dim == 3 : block.dim >= 1 && block.dim <= CAIRN_BLOCK_DIM_MAX;
            if (legal)
                CHECK(why(block) == NULL);
            else
                CHECK_CONTAINS(why(block), cone ? "dim must be 2 or 3" : "dim must be 1 to 16");
        }
    }
}

TEST(bad_parameters) {
    static const double bad[] = {-1.0, -1e-300, INFINITY, -INFINITY, NAN};
    for (int i = 0; i < 5; i++) {
        for (int kind = 0; kind <= CAIRN_SET_CUSTOM; kind++)
            if (kind == CAIRN_SET_CONE || kind == CAIRN_SET_DUAL_CONE || kind == CAIRN_SET_CAPPED_CONE ||
                kind == CAIRN_SET_SHIFTED_CONE || kind == CAIRN_SET_POLY_CONE)
                CHECK_CONTAINS(why((cairn_block){.set = (cairn_set_kind)kind, .dim = 3, .mu = bad[i]}),
                               "mu must be finite and >= 0");
        CHECK_CONTAINS(why((cairn_block){.set = CAIRN_SET_BALL, .dim = 3, .radius = bad[i]}),
                       "radius must be finite and >= 0");
        CHECK_CONTAINS(why((cairn_block){.set = CAIRN_SET_CAPPED_CONE, .dim = 3, .cap = bad[i]}),
                       "cap must be finite and >= 0");
        CHECK_CONTAINS(why((cairn_block){.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .adhesion = bad[i]}),
                       "adhesion must be finite and >= 0");
    }
}

TEST(bad_directions) {
    static const int bad[] = {-4, 0, 2, 3, 5, 7, 127, 129, 130, 1000000};
    for (int i = 0; i < 10; i++)
        CHECK_CONTAINS(why((cairn_block){.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.5, .directions = bad[i]}),
                       "directions must be even, 4 to 128");
    for (int n = 4; n <= CAIRN_DIRECTIONS_MAX; n += 2)
        CHECK(why((cairn_block){.set = CAIRN_SET_POLY_CONE, .dim = 3, .mu = 0.5, .directions = n}) == NULL);
    CHECK_CONTAINS(why((cairn_block){.set = CAIRN_SET_POLY_CONE, .dim = 2, .directions = 4}),
                   "must be 2 in dimension 2");
}

TEST(bad_boxes) {
    cairn_block box = {.set = CAIRN_SET_BOX, .dim = 1, .lo = 1.0, .hi = 0.0};
    CHECK_CONTAINS(why(box), "lo must be <= hi");
    box.lo = NAN;
    CHECK_CONTAINS(why(box), "NaN");
    box.lo = 0.0, box.hi = NAN;
    CHECK_CONTAINS(why(box), "NaN");
    box.lo = box.hi = INFINITY;
    CHECK_CONTAINS(why(box), "infinity");
    box.lo = box.hi = -INFINITY;
    CHECK_CONTAINS(why(box), "infinity");
    box.lo = -INFINITY, box.hi = INFINITY;
    CHECK(why(box) == NULL);
}

TEST(bad_customs) {
    cairn_custom_set empty = {0};
    CHECK_CONTAINS(why((cairn_block){.set = CAIRN_SET_CUSTOM, .dim = 2}), "callbacks");
    CHECK_CONTAINS(why((cairn_block){.set = CAIRN_SET_CUSTOM, .dim = 2, .custom = &empty}), "project");
}

TEST(unused_fields_are_ignored) {
    cairn_block block = {.set = CAIRN_SET_BILATERAL, .dim = 2, .mu = NAN, .lo = 1, .hi = 0, .radius = -1, .cap = NAN};
    CHECK(why(block) == NULL);
}

TEST(runs) {
    const cairn_block block[] = {
        {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.1}, {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.2},
        {.set = CAIRN_SET_CONE, .dim = 2, .mu = 0.2}, {.set = CAIRN_SET_BILATERAL, .dim = 2},
        {.set = CAIRN_SET_BILATERAL, .dim = 2},       {.set = CAIRN_SET_BILATERAL, .dim = 2},
        {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.3},
    };
    const cairn_set_run expected[] = {{CAIRN_SET_CONE, 3, 0, 2, 0},
                                      {CAIRN_SET_CONE, 2, 2, 1, 6},
                                      {CAIRN_SET_BILATERAL, 2, 3, 3, 8},
                                      {CAIRN_SET_CONE, 3, 6, 1, 14}};
    cairn_set_run run[4], few[2] = {{0}, {.dim = -7}};
    CHECK(cairn_set_runs(7, block, run, 4) == 4);
    for (int i = 0; i < 4; i++)
        CHECK(run[i].set == expected[i].set && run[i].dim == expected[i].dim && run[i].first == expected[i].first &&
              run[i].count == expected[i].count && run[i].row == expected[i].row);
    CHECK(cairn_set_runs(7, block, few, 1) == 4); /* says how many there are, fills what fits */
    CHECK(few[0].count == 2 && few[1].dim == -7);
    CHECK(cairn_set_runs(7, block, NULL, 0) == 4);
    CHECK(cairn_set_runs(0, NULL, NULL, 0) == 0);
}

/* All samples in a row, cut into runs, against one call a block; then in place. */
TEST(project_over_runs) {
    double x[SAMPLES * DIM], out[SAMPLES * DIM], expected[SAMPLES * DIM];
    cairn_set_run run[SAMPLES];
    test_random r = {41};
    int row = 0;
    for (int s = 0; s < SAMPLES; s++) {
        random_point(&r, samples[s].dim, x + row);
        cairn_set_get(samples[s].set)->project(&samples[s], x + row, expected + row);
        row += samples[s].dim;
    }
    int runs = cairn_set_runs(SAMPLES, samples, run, SAMPLES);
    CHECK(runs < SAMPLES);
    for (int in_place = 0; in_place < 2; in_place++) {
        double *target = in_place ? x : out;
        for (int i = 0; i < runs; i++)
            cairn_set_project_run(run[i].set, run[i].dim, run[i].count, samples + run[i].first, x + run[i].row,
                                  target + run[i].row);
        CHECK(memcmp(target, expected, (size_t)row * sizeof *x) == 0);
    }
}

TEST(distance) {
    cairn_block ball = {.set = CAIRN_SET_BALL, .dim = 2, .radius = 1.0};
    CHECK_NEAR(cairn_set_distance(&ball, (const double[]){3.0, 4.0}), 4.0, 1e-15);
    CHECK_NEAR(cairn_set_distance(&ball, (const double[]){0.3, 0.4}), 0.0, 0.0);
    CHECK_NEAR(cairn_set_distance(&ball, (const double[]){3e200, 4e200}) / 1e200, 5.0, 1e-14);
}

int main(void) {
    RUN(names);
    RUN(samples_are_legal);
    RUN(bad_dimensions);
    RUN(bad_parameters);
    RUN(bad_directions);
    RUN(bad_boxes);
    RUN(bad_customs);
    RUN(unused_fields_are_ignored);
    RUN(runs);
    RUN(project_over_runs);
    RUN(distance);
    return test_end();
}
