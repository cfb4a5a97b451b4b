/*
 * test_io_json.c: the JSON reader and the expressions of scenes: trees, places, every kind of wrong text, memory.
 */
#include "io/text/expression.h"
#include "io/text/json.h"
#include "support/support.h"

static cairn_json_document *parse(cairn_context *context, const char *text) {
    cairn_json_document *d = NULL;
    CHECK(cairn_json_parse(context, text, strlen(text), "x.json", &d) == CAIRN_OK);
    return d;
}

TEST(tree_and_places) {
    cairn_context *context = plain_context(1);
    cairn_json_document *d = parse(context,
                                   "// first\n{\"a\": [1, -2.5e3, true, null],\n  /* in\nside */ \"b\": {\"c\": "
                                   "\"t\\u00e9\\n\\ud83d\\ude00\"}}\n");
    const cairn_json *root = cairn_json_root(d), *a = cairn_json_member(root, "a");
    CHECK(root->kind == CAIRN_JSON_OBJECT && root->count == 2 && root->line == 2 && root->column == 1);
    CHECK(a->count == 4 && a->first->number == 1.0 && a->first->next->number == -2500.0);
    CHECK(a->first->next->line == 2 && a->first->next->column == 11);
    CHECK(a->first->next->next->kind == CAIRN_JSON_BOOL && a->last_item->kind == CAIRN_JSON_NULL);
    const cairn_json *c = cairn_json_member(cairn_json_member(root, "b"), "c");
    char path[64];
    CHECK(strcmp(c->text, "t\xC3\xA9\n\xF0\x9F\x98\x80") == 0 && c->key_line == 4);
    CHECK(strcmp(cairn_json_path(c, path, sizeof path), "b.c") == 0);
    CHECK(strcmp(cairn_json_path(a->last_item, path, sizeof path), "a[3]") == 0);
    CHECK(cairn_json_member(a, "x") == NULL && cairn_json_member(NULL, "x") == NULL);
    cairn_json_destroy(d);
    cairn_context_destroy(context);
}

typedef struct wrong {
    const char *text, *message;
} wrong;

TEST(wrong_texts) {
    static const wrong cases[] = {
        {"", "x.json:1:1: expected a value, found the end of the file"},
        {"{\"a\": 1 \"b\": 2}", "x.json:1:9: expected ',' or '}' after a value, found '\"'"},
        {"{\"a\": 1,\n    x}", "x.json:2:5: expected a key in quotes, found 'x'"},
        {"{\n\n\"a\": 1 x", "x.json:3:8: expected ',' or '}' after a value, found 'x'"},
        {"[1, 2,]", "x.json:1:7: expected a value after ',', found ']'"},
        {"{\"a\": 1,}", "expected a key after ',', found '}'"},
        {"{\"a\" 1}", "x.json:1:6: expected ':' after a key, found '1'"},
        {"[1 2]", "expected ',' or ']' after a value, found '2'"},
        {"{\"a\": 1, \"a\": 2}", "x.json:1:10: the key 'a' was already given in line 1"},
        {"tru", "expected a value, found 'tru'"},
        {"nullx", "expected a value, found 'nullx'"},
        {"01", "not a number"},
        {"1.", "not a number"},
        {"1e", "not a number"},
        {"-", "not a number"},
        {"1e999", "not a number"},
        {"\"abc", "x.json:1:1: this text has no closing quote"},
        {"\"a\tb\"", "the byte 0x09 inside a text must be written as an escape"},
        {"\"\\x\"", "unknown escape"},
        {"\"\\u12g4\"", "\\u needs four hexadecimal digits"},
        {"\"\\ud800\"", "\\u needs four hexadecimal digits"},
        {"\"\\u0000\"", "\\u needs four hexadecimal digits"},
        {"\"\xFF\"", "the byte 0xFF is not UTF-8"},
        {"\"\xC0\x80\"", "the byte 0xC0 is not UTF-8"},
        {"/* no end", "x.json:1:1: this comment never ends"},
        {"/ 1", "expected a value or a comment, found '/'"},
        {"1 2", "x.json:1:3: expected nothing more after the value, found '2'"},
        {"\x89PNG", "expected a value, found the byte 0x89"},
        {"'a'", "expected a value, found '''"},
    };
    cairn_context *context = plain_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cairn_json_document *d = NULL;
        CHECK(cairn_json_parse(context, cases[i].text, strlen(cases[i].text), "x.json", &d) == CAIRN_ERROR_PARSE);
        CHECK(d == NULL);
        CHECK_CONTAINS(cairn_error_message(context), cases[i].message);
    }
    char deep[200];
    memset(deep, '[', sizeof deep);
    cairn_json_document *d = NULL;
    CHECK(cairn_json_parse(context, deep, sizeof deep, "x", &d) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "brackets inside each other");
    CHECK(cairn_json_parse(context, "1", CAIRN_JSON_BYTES_MAX + 1, "x", &d) == CAIRN_ERROR_PARSE);
    cairn_context_destroy(context);
}

/* Every number as strtod reads it. */
TEST(numbers_are_exact) {
    test_random r = {3};
    for (int i = 0; i < 20000; i++) {
        char text[64];
        uint64_t bits = test_random_bits(&r);
        double x, y = 0.0;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.9e", x);
        for (char *c = text; *c; c++)
            if (*c == '+')
                memmove(c, c + 1, strlen(c));
        const char *end = cairn_json_scan_number(text, text + strlen(text), &y);
        CHECK(end == text + strlen(text));
        CHECK(y == strtod(text, NULL));
    }
}

TEST(memory_may_fail) {
    static const char text[] = "{\"a\": [1, 2, {\"b\": \"text\"}], \"c\": [[], {}, \"x\"]}";
    for (int fail = 0;; fail++) {
        counting_allocator a = {.fail_at = fail};
        cairn_context *context = counting_context(&a, 1);
        if (context == NULL)
            continue;
        cairn_json_document *d = NULL;
        cairn_status status = cairn_json_parse(context, text, sizeof text - 1, "x", &d);
        CHECK(status == CAIRN_OK || (status == CAIRN_ERROR_MEMORY && d == NULL));
        cairn_json_destroy(d);
        cairn_context_destroy(context);
        CHECK(a.live == 0);
        if (status == CAIRN_OK || fail > 100)
            break;
    }
}

static double value(const char *text) {
    static const cairn_variable known[] = {{"i", 3, CAIRN_VARIABLE_INDEX}, {"size", 10, CAIRN_VARIABLE_PARAMETER}};
    cairn_expression_result result;
    if (!cairn_expression_evaluate(text, (cairn_variables){known, 2}, &result)) {
        printf("%s: %s\n", text, result.message);
        return NAN;
    }
    return result.value;
}

TEST(expressions) {
    CHECK(value("1 + 2*3") == 7.0);
    CHECK(value("(1 + 2)*3 - 4/2/2") == 8.0);
    CHECK(value("2^3^2") == 512.0);
    CHECK(value("-2^2") == -4.0);
    CHECK(value("2^-1") == 0.5);
    CHECK(value("--3") == 3.0);
    CHECK(value(".5 - -.25e1*.2") == 1.0);
    CHECK(value("-1 % 3") == 2.0);
    CHECK(value("7 % 2 * 1.9") == 1.9);
    CHECK(value("4*i + (i % 2)*1.5") == 13.5);
    CHECK(value("if(i < size, 1, 1/0)") == 1.0);
    CHECK(value("if(i >= size, 1 % 0, if(2 == 2, 5, 6))") == 5.0);
    CHECK(value("(3 != 3) + (3 <= 3) + (4 > 3)") == 2.0);
    CHECK(value("min(3, 1, 2) + max(1, 5)") == 6.0);
    CHECK_NEAR(value("sin(pi/6) + cos(pi/3) + tan(pi/4)"), 2.0, 1e-15);
    CHECK(value("sqrt(16) + abs(-2) + floor(1.5) + ceil(1.5) + round(2.4) + sign(-3)") == 10.0);
    CHECK_NEAR(value("atan2(1, 1)*4 - pi + hypot(3, 4) + log(exp(1))"), 6.0, 1e-14);
    CHECK(value("random(1, 2)") == value("random(1, 2)") && value("random(1)") != value("random(2)"));
    double sum = 0.0;
    for (int k = 0; k < 10000; k++) {
        double x = cairn_expression_random(k, 0, 0, 0);
        CHECK(x >= 0.0 && x < 1.0);
        sum += x;
    }
    CHECK_NEAR(sum / 10000.0, 0.5, 0.02);
}

TEST(wrong_expressions) {
    static const wrong cases[] = {
        {"", "a value is missing at character 1"},
        {"1 +", "a value is missing at character 4"},
        {"1 2", "expected an operator, found '2' at character 3"},
        {"(1", "')' is missing"},
        {"sin(1", "')' is missing"},
        {"sin(1, 2)", "sin takes 1 value, not more"},
        {"if(1, 2)", "if needs 3 values, got 2"},
        {"sise + 1", "unknown name 'sise' (did you mean 'size'?) at character 1"},
        {"sqr(4)", "no function 'sqr' (did you mean 'sqrt'?)"},
        {"1/0", "division by 0 at character 2"},
        {"1 % 0", "remainder of a division by 0"},
        {"#", "expected a value, found '#'"},
        {"if(1, zzz, 2)", "unknown name 'zzz'"},
        {"1..2", "not a number"},
        {".", "expected a value, found '.'"},
    };
    static const cairn_variable known[] = {{"size", 10, CAIRN_VARIABLE_PARAMETER}};
    cairn_expression_result result;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!cairn_expression_evaluate(cases[i].text, (cairn_variables){known, 1}, &result));
        CHECK_CONTAINS(result.message, cases[i].message);
    }
    char deep[300];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    CHECK(!cairn_expression_evaluate(deep, (cairn_variables){0}, &result));
    CHECK_CONTAINS(result.message, "levels");
    CHECK(cairn_expression_is_name("a_1") && !cairn_expression_is_name("1a") && !cairn_expression_is_name("pi") &&
          !cairn_expression_is_name("sin") && !cairn_expression_is_name("") && !cairn_expression_is_name("a-b"));
}

int main(void) {
    RUN(tree_and_places);
    RUN(wrong_texts);
    RUN(numbers_are_exact);
    RUN(memory_may_fail);
    RUN(expressions);
    RUN(wrong_expressions);
    return test_end();
}
