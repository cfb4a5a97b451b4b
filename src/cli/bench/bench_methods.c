/*
 * bench_methods.c: the list of methods of a bench,
 * "padmm,ipm,fast@padmm:rho=0.2:step_policy=spectral".
 *
 * Commas part methods, colons part options. A backslash takes the next letter as it is, so that a
 * value may hold either. The text before '@' is the name in tables; without one it is the whole
 * item.
 */
#include "cli/bench/bench.h"

#include <string.h>

/* Copies text up to an unescaped letter of `ends` into word, escapes resolved; returns where it
 * stopped, NULL: too long. */
static const char *take_word(const char *text, const char *ends, char *word, size_t size) {
    size_t length = 0;
    while (*text != '\0' && strchr(ends, *text) == NULL) {
        if (*text == '\\' && text[1] != '\0')
            text++;
        if (length + 1 == size)
            return NULL;
        word[length++] = *text++;
    }
    word[length] = '\0';
    return text;
}

/* One KEY=VALUE of a method. */
static int apply_option(bench_method *method, const char *option) {
    static const char *const taken[][2] = {{"tolerance", "--tol"}, {"time_limit", "--time-limit"}};
    char key[64], message[256] = "";
    const char *equals = strchr(option, '=');
    if (equals == NULL || equals == option || equals - option >= (long)sizeof key)
        return cli_usage("bench", "--methods: '%s' of '%s' is not KEY=VALUE", option, method->spec);
    snprintf(key, sizeof key, "%.*s", (int)(equals - option), option);
    for (int i = 0; i < 2; i++)
        if (strcmp(key, taken[i][0]) == 0)
            return cli_usage("bench", "--methods: '%s' is the same for all methods: use %s", key, taken[i][1]);
    if (cairn_settings_set(&method->settings, key, equals + 1, message, sizeof message) != CAIRN_OK)
        return cli_usage("bench", "--methods: %s: %s", option, message);
    return CLI_GO;
}

/* Reads the item in spec: method, then options. */
static int read_spec(bench_method *method, const bench_request *r) {
    char word[256];
    const char *at = take_word(method->spec, ":", word, sizeof word);
    int code = cli_check_method("bench", word);
    if (code != CLI_GO)
        return code;
    method->settings = cairn_default_settings(word);
    if (r->max_iterations > 0)
        method->settings.max_iterations = r->max_iterations;
    while (code == CLI_GO && at != NULL && *at == ':') {
        at = take_word(at + 1, ":", word, sizeof word);
        code = apply_option(method, word);
    }
    method->settings.time_limit = r->time_limit;
    return code;
}

/* Adds the item of `length` letters at text. */
static int add_method(bench_request *r, const char *text, size_t length) {
    if (r->methods == BENCH_METHODS_MAX)
        return cli_usage("bench", "--methods: more than %d methods", BENCH_METHODS_MAX);
    bench_method *method = &r->method[r->methods];
    const char *at = memchr(text, '@', length);
    const char *spec = at != NULL ? at + 1 : text;
    size_t label = at != NULL ? (size_t)(at - text) : length, rest = (size_t)(text + length - spec);
    if (label == 0 || rest == 0)
        return cli_usage("bench", "--methods: an empty item");
    if (label >= sizeof method->label || rest >= sizeof method->spec)
        return cli_usage("bench", "--methods: '%.40s...' is too long; give it a name: NAME@METHOD:KEY=VALUE", text);
    snprintf(method->label, sizeof method->label, "%.*s", (int)label, text);
    snprintf(method->spec, sizeof method->spec, "%.*s", (int)rest, spec);
    for (int i = 0; i < r->methods; i++)
        if (strcmp(r->method[i].label, method->label) == 0)
            return cli_usage("bench", "--methods: '%s' is there twice", method->label);
    r->methods++;
    return read_spec(method, r);
}

int bench_methods_read(bench_request *r, const char *text) {
    int code = CLI_GO;
    for (;;) {
        size_t length = 0;
        while (text[length] != '\0' && text[length] != ',')
            length += text[length] == '\\' && text[length + 1] != '\0' ? 2 : 1;
        code = add_method(r, text, length);
        if (code != CLI_GO || text[length] == '\0')
            return code;
        text += length + 1;
    }
}

int bench_methods_all(bench_request *r) {
    int code = CLI_GO;
    for (int i = 0; i < cairn_method_count() && code == CLI_GO; i++) {
        cairn_method_info info;
        if (cairn_method_get(i, &info) == CAIRN_OK)
            code = add_method(r, info.name, strlen(info.name));
    }
    return code;
}
