/*
 * test_cli_bench.c: what `cairn bench` computes: performance profiles against numbers worked out by hand, JSON as it is read
 * back, lists of methods, short names of problems.
 */
#include "cli/bench/bench.h"
#include "support/test.h"

#define INF ((double)INFINITY)

/* Three problems and one that nobody solves, three methods. By hand:
 *            A     B     C        ratios
 *     p0     1     2     4         1    2    4
 *     p1     6     3   inf         2    1  inf
 *     p2     5   inf     5         1  inf    1
 *     p3   inf   inf   inf       inf  inf  inf
 * rho_A(1) = 2/4, rho_A(2) = 3/4; rho_B(1) = 1/4, rho_B(2) = 2/4; rho_C(1) = 1/4, rho_C(3.9) = 1/4, rho_C(4) = 2/4. */
TEST(profile_by_hand) {
    const double t[] = {1, 2, 4, 6, 3, INF, 5, INF, 5, INF, INF, INF};
    const double expected[] = {1, 2, 4, 2, 1, INF, 1, INF, 1, INF, INF, INF};
    double ratio[12];
    bench_profile_ratios(4, 3, t, ratio);
    for (int i = 0; i < 12; i++)
        CHECK(ratio[i] == expected[i]);
    CHECK(bench_profile_share(4, 3, ratio, 0, 1.0) == 0.5);
    CHECK(bench_profile_share(4, 3, ratio, 0, 2.0) == 0.75);
    CHECK(bench_profile_share(4, 3, ratio, 0, 1e300) == 0.75);
    CHECK(bench_profile_share(4, 3, ratio, 1, 1.0) == 0.25);
    CHECK(bench_profile_share(4, 3, ratio, 1, 2.0) == 0.5);
    CHECK(bench_profile_share(4, 3, ratio, 2, 3.9) == 0.25);
    CHECK(bench_profile_share(4, 3, ratio, 2, 4.0) == 0.5);
}

TEST(profile_edges) {
    const double t[] = {0.0, 0.0, 1.0, 0.0, NAN, 2.0};
    double ratio[6];
    bench_profile_ratios(3, 2, t, ratio);
    CHECK(ratio[0] == 1.0 && ratio[1] == 1.0);
    CHECK(isinf(ratio[2]) && ratio[3] == 1.0);
    CHECK(isinf(ratio[4]) && ratio[5] == 1.0);
    CHECK(bench_profile_share(0, 2, ratio, 0, 1.0) == 0.0);
    double same[] = {3.0, 6.0};
    bench_profile_ratios(1, 2, same, same); /* in place */
    CHECK(same[0] == 1.0 && same[1] == 2.0);
}

TEST(json_members) {
    const char *line = " {\"a\": 1.5e-3, \"b\": {\"a\": 2, \"c\": [1, {\"a\": 3}]}, \"t\": \"x\\\"\\u00e9\\n,}\", "
                       "\"n\": null, \"k\":true} ";
    CHECK(json_is_object(line));
    CHECK(json_number(line, "a") == 1.5e-3);
    CHECK(json_number(json_member(line, "b").at, "a") == 2.0);
    CHECK(json_member(line, "b").length == strlen("{\"a\": 2, \"c\": [1, {\"a\": 3}]}"));
    CHECK(isnan(json_number(line, "n")) && isnan(json_number(line, "t")) && isnan(json_number(line, "zz")));
    CHECK(json_member(line, "c").at == NULL);
    char *text = json_string(line, "t");
    CHECK(text != NULL && strcmp(text, "x\"\xc3\xa9\n,}") == 0);
    free(text);
    CHECK(json_string(line, "a") == NULL);
}

TEST(json_refuses) {
    static const char *const bad[] = {"",
                                      "{",
                                      "[1]",
                                      "{\"a\"}",
                                      "{\"a\": }",
                                      "{\"a\": 1,}",
                                      "{\"a\": 01x}",
                                      "{\"a\": .5}",
                                      "{a: 1}",
                                      "{\"a\": \"x}",
                                      "{\"a\": 1} x",
                                      "{\"a\": \"\\q\"}",
                                      "{\"a\": nan}",
                                      "{\"a\": 1 \"b\": 2}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (json_is_object(bad[i])) {
            CHECK(false); /* taken for an object */
            printf("    %s\n", bad[i]);
        }
    char deep[128] = "{\"a\": ";
    memset(deep + 6, '[', 60);
    CHECK(!json_is_object(deep));
    CHECK(json_is_object("{}") && json_is_object("{\"a\": []}"));
}

/* Reads one line into empty results and says whether it was taken. */
static bool takes(const char *text, bool *success) {
    bench_results results = {0};
    bool taken = bench_results_take(&results, text, "line") == CLI_GO;
    if (success != NULL)
        *success = taken && results.count == 1 && results.line[0].success;
    bench_results_close(&results);
    return taken;
}

TEST(success_is_the_certificates) {
    bool success;
    const char *rest =
        "\"problem\": \"p\", \"method\": \"m\", \"law\": \"coulomb\", \"tolerance\": 1e-6, \"seconds\": 1, ";
    char line[512];
    snprintf(line, sizeof line,
             "{%s\"outcome\": \"solved\", \"certificate\": {\"relative\": 2e-6, \"certified\": true}}",
             rest); /* asked for nobody knows which tolerance */
    CHECK(takes(line, &success) && !success);
    snprintf(line, sizeof line, "{%s\"certificate\": {\"relative\": 2e-6, \"tolerance\": 1e-6, \"certified\": true}}",
             rest); /* rounding */
    CHECK(takes(line, &success) && success);
    snprintf(line, sizeof line, "{%s\"certificate\": {\"relative\": 9e-7, \"tolerance\": 1e-6, \"certified\": false}}",
             rest); /* a wrong v */
    CHECK(takes(line, &success) && !success);
    snprintf(line, sizeof line, "{%s\"certificate\": {\"relative\": 9e-7, \"tolerance\": 1e-8, \"certified\": false}}",
             rest);
    CHECK(takes(line, &success) && success);
    snprintf(line, sizeof line, "{%s\"outcome\": \"stalled\", \"certificate\": {\"relative\": 9e-7}}", rest);
    CHECK(takes(line, &success) && success);
    snprintf(line, sizeof line, "{%s\"certificate\": {\"natural_map\": 1e-9}}", rest); /* the first edition */
    CHECK(takes(line, &success) && !success);
    snprintf(line, sizeof line, "{%s\"certificate\": {\"relative\": null}}", rest);
    CHECK(takes(line, &success) && !success);
    snprintf(line, sizeof line, "{%s\"outcome\": \"solved\"}", rest);
    CHECK(takes(line, &success) && !success);
    CHECK(!takes("{\"problem\": \"p\", \"method\": \"m\", \"law\": \"dry\", \"tolerance\": 1e-6}", NULL));
    CHECK(!takes("{\"problem\": \"p\", \"method\": \"m\", \"law\": \"coulomb\"}", NULL));
    CHECK(!takes("{\"problem\": \"p\", \"law\": \"coulomb\", \"tolerance\": 1e-6}", NULL));
    CHECK(!takes("{\"kind\": \"other\"}", NULL));
}

TEST(later_lines_replace) {
    bench_results results = {0};
    const char *form =
        "{\"problem\": \"p\", \"method\": \"%s\", \"law\": \"coulomb\", \"tolerance\": 1e-6, \"seconds\": %d}";
    for (int i = 0; i < 4; i++) {
        char line[256];
        snprintf(line, sizeof line, form, i % 2 ? "b" : "a", i);
        CHECK(bench_results_take(&results, line, "line") == CLI_GO);
    }
    CHECK(results.count == 2);
    const bench_line *b = bench_results_find(&results, "p", "b", "coulomb", 1e-6);
    CHECK(b != NULL && b->seconds == 3.0);
    CHECK(bench_results_find(&results, "p", "b", "associated", 1e-6) == NULL);
    CHECK(bench_results_find(&results, "p", "b", "coulomb", 1e-5) == NULL);
    bench_results_close(&results);
}

TEST(lists_of_methods) {
    static bench_request r;
    CHECK(bench_methods_read(&r, "admm,fast@padmm:rho=0.25:relaxation=1.5,padmm:rho=2") == CLI_GO);
    CHECK(r.methods == 3);
    CHECK(strcmp(r.method[0].label, "admm") == 0 && strcmp(r.method[0].spec, "admm") == 0);
    CHECK(strcmp(r.method[1].label, "fast") == 0 && strcmp(r.method[1].spec, "padmm:rho=0.25:relaxation=1.5") == 0);
    CHECK(r.method[1].settings.rho == 0.25 && r.method[1].settings.relaxation == 1.5);
    CHECK(strcmp(r.method[2].label, "padmm:rho=2") == 0 && r.method[2].settings.rho == 2.0);
    static const char *const bad[] = {"",
                                      "admm,",
                                      "x@",
                                      "@admm",
                                      "nothing",
                                      "admm:rho",
                                      "admm:rho=x",
                                      "admm:tolerance=1e-3",
                                      "admm,admm",
                                      "a@admm,a@padmm",
                                      "admm:rho=0.1\\:2"};
    fprintf(stderr, "the messages that follow are wanted\n");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        r = (bench_request){0};
        CHECK(bench_methods_read(&r, bad[i]) == CLI_USAGE);
    }
}

TEST(names_of_problems) {
    static bench_request r;
    char *operand[] = {"a/one.hdf5",  "a/two.hdf5",  "b/two.hdf5", "b/three.h5",
                       "b/three.dat", "c/one.hdf5/", "a/two.hdf5"};
    CHECK(bench_files_find(&r, 5, operand) == CLI_GO);
    static const char *const expected[] = {"one", "a/two.hdf5", "b/two.hdf5", "three.h5", "three.dat"};
    CHECK(r.files == 5);
    for (int i = 0; i < r.files && i < 5; i++)
        if (strcmp(r.file[i].problem, expected[i]) != 0) {
            CHECK(false); /* another name */
            printf("    %s, expected %s\n", r.file[i].problem, expected[i]);
        }
    bench_files_free(&r);
    CHECK(bench_files_find(&r, 7, operand) == CLI_GO && r.files == 6); /* one file given twice is one problem */
    bench_files_free(&r);
}

TEST(tolerances_as_text) {
    char text[24];
    CHECK(strcmp(bench_tolerance(1e-8, text), "1e-8") == 0);
    CHECK(strcmp(bench_tolerance(1e-4, text), "1e-4") == 0);
    CHECK(strcmp(bench_tolerance(2.5e-10, text), "2.5e-10") == 0);
    CHECK(strcmp(bench_tolerance(0.5, text), "0.5") == 0);
    CHECK(strcmp(bench_tolerance(1.0, text), "1") == 0);
    CHECK(strcmp(bench_tolerance(1e-16, text), "1e-16") == 0);
}

int main(void) {
    RUN(profile_by_hand);
    RUN(profile_edges);
    RUN(json_members);
    RUN(json_refuses);
    RUN(success_is_the_certificates);
    RUN(later_lines_replace);
    RUN(lists_of_methods);
    RUN(names_of_problems);
    RUN(tolerances_as_text);
    return test_end();
}
