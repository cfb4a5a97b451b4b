/*
 * options.c: options and operands of a command, its help, and messages about wrong usage.
 */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64, METHODS_MAX = 64 };

/* A sentence that asks ends there. */
static bool ends_question(const char *text) {
    size_t length = strlen(text);
    return length > 0 && text[length - 1] == '?';
}

int cli_usage(const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "cairn %s: ", name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "%s cairn %s --help\n", ends_question(format) ? " See" : "; see", name);
    va_end(arguments);
    return CLI_USAGE;
}

void cli_complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("cairn: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void cli_put_xml(FILE *out, const char *text) {
    for (; *text != '\0'; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if ((unsigned char)*text >= 0x20)
            fputc(*text, out);
}

int cli_check_method(const char *command, const char *method) {
    if (cairn_method_options(method, NULL, 0) >= 0)
        return CLI_GO;
    const char *name[METHODS_MAX];
    int count = 0;
    for (int i = 0; i < cairn_method_count() && count < METHODS_MAX; i++) {
        cairn_method_info info;
        if (cairn_method_get(i, &info) == CAIRN_OK)
            name[count++] = info.name;
    }
    const char *meant = cairn_nearest(method, name, count);
    if (meant != NULL)
        return cli_usage(command, "unknown method '%s'; did you mean '%s'? cairn methods lists all", method, meant);
    return cli_usage(command, "unknown method '%s'; cairn methods lists all", method);
}

int cli_parse_cone(const char *command, const char *text, int *directions) {
    *directions = 0;
    if (text == NULL || strcmp(text, "round") == 0)
        return CLI_GO;
    char *end = NULL;
    long number = strncmp(text, "poly:", 5) == 0 ? strtol(text + 5, &end, 10) : 0;
    if (end == NULL || end == text + 5 || *end != '\0' || number < 4 || number > CAIRN_DIRECTIONS_MAX ||
        number % 2 != 0)
        return cli_usage(command, "--cone expects round or poly:N with N even, 4 to %d, got '%s'", CAIRN_DIRECTIONS_MAX,
                         text);
    *directions = (int)number;
    return CLI_GO;
}

const char *cli_cone_name(int directions, char text[16]) {
    if (directions == 0)
        snprintf(text, 16, "round");
    else
        snprintf(text, 16, "poly:%d", directions);
    return text;
}

static void print_option(const cli_option *option) {
    char text[80];
    if (option->kind == CLI_FLAG)
        snprintf(text, sizeof text, "%s", option->name);
    else
        snprintf(text, sizeof text, "%s %s", option->name, option->value);
    const char *also = strcmp(option->name, "--out") == 0 ? "; also -o" : "";
    if (strlen(text) > 24)
        printf("  %s\n  %-24s %s%s\n", text, "", option->help, also);
    else
        printf("  %-24s %s%s\n", text, option->help, also);
}

static void print_help(const cli_command *command) {
    printf("usage: cairn %s %s%s\n\n%s", command->name, command->operands,
           command->options > 0 ? (*command->operands ? " [options]" : "[options]") : "", command->text);
    printf("\noptions:\n");
    for (int i = 0; i < command->options; i++)
        print_option(&command->option[i]);
    printf("  %-24s %s\n", "--help", "print this");
    if (command->examples != NULL)
        printf("\nexamples:\n%s", command->examples);
}

static int parse_real(const cli_command *command, const cli_option *option, const char *text) {
    char *end = NULL;
    double x = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(x) || x < option->least || x > option->most)
        return cli_usage(command->name, "%s expects a number from %g to %g, got '%s'", option->name, option->least,
                         option->most, text);
    *(double *)option->target = x;
    return CLI_GO;
}

static int parse_integer(const cli_command *command, const cli_option *option, const char *text) {
    char *end = NULL;
    errno = 0;
    long x = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || (double)x < option->least || (double)x > option->most)
        return cli_usage(command->name, "%s expects a whole number from %.0f to %.0f, got '%s'", option->name,
                         option->least, option->most, text);
    *(int *)option->target = (int)x;
    return CLI_GO;
}

static int parse_choice(const cli_command *command, const cli_option *option, const char *text) {
    int place = 0;
    size_t length = strlen(text);
    for (const char *word = option->value; word != NULL; place++) {
        const char *bar = strchr(word, '|');
        size_t letters = bar != NULL ? (size_t)(bar - word) : strlen(word);
        if (letters == length && strncmp(word, text, length) == 0) {
            *(int *)option->target = place;
            return CLI_GO;
        }
        word = bar != NULL ? bar + 1 : NULL;
    }
    return cli_usage(command->name, "%s expects %s, got '%s'", option->name, option->value, text);
}

static int take_value(const cli_command *command, const cli_option *option, const char *text) {
    cli_list *list = option->target;
    if (*text == '\0')
        return cli_usage(command->name, "%s expects %s, got nothing", option->name, option->value);
    switch (option->kind) {
    case CLI_REAL:
        return parse_real(command, option, text);
    case CLI_INTEGER:
        return parse_integer(command, option, text);
    case CLI_CHOICE:
        return parse_choice(command, option, text);
    case CLI_LIST:
        if (list->count == CLI_LIST_MAX)
            return cli_usage(command->name, "%s was given more than %d times", option->name, CLI_LIST_MAX);
        list->item[list->count++] = text;
        return CLI_GO;
    case CLI_TEXT:
        *(const char **)option->target = text;
        return CLI_GO;
    case CLI_FLAG:
        break;
    }
    return CLI_GO;
}

static int unknown_option(const cli_command *command, const char *name) {
    const char *known[WORD_MAX];
    int count = 0;
    for (int i = 0; i < command->options && count < WORD_MAX; i++)
        known[count++] = command->option[i].name;
    const char *meant = cairn_nearest(name, known, count);
    if (meant != NULL)
        return cli_usage(command->name, "unknown option '%s'; did you mean '%s'?", name, meant);
    return cli_usage(command->name, "unknown option '%s'", name);
}

/* True if name is another name of the option: -o and --out; --to and --until where one of them
 * is a time. */
static bool same_option(const cli_option *option, const char *name) {
    static const char *const pair[][2] = {{"-o", "--out"}, {"--to", "--until"}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(option->name, pair[i][k]) == 0 && strcmp(name, pair[i][1 - k]) == 0)
                return i == 0 || option->kind == CLI_REAL;
    return false;
}

static const cli_option *find_option(const cli_command *command, const char *name) {
    for (int i = 0; i < command->options; i++)
        if (strcmp(command->option[i].name, name) == 0)
            return &command->option[i];
    for (int i = 0; i < command->options; i++)
        if (same_option(&command->option[i], name))
            return &command->option[i];
    return NULL;
}

/* Takes the option argv[*at], and moves *at to its last word. */
static int take_option(const cli_command *command, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    const char *equals = strchr(word, '=');
    char name[WORD_MAX];
    snprintf(name, sizeof name, "%.*s", equals != NULL ? (int)(equals - word) : (int)strlen(word), word);
    const cli_option *option = find_option(command, name);
    if (option == NULL)
        return unknown_option(command, name);
    if (option->kind == CLI_FLAG) {
        if (equals != NULL)
            return cli_usage(command->name, "%s takes no value, got '%s'", name, equals + 1);
        *(bool *)option->target = true;
        return CLI_GO;
    }
    if (equals != NULL)
        return take_value(command, option, equals + 1);
    if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
        return cli_usage(command->name, "%s needs a value: %s %s", name, name, option->value);
    return take_value(command, option, argv[++*at]);
}

static int check_count(const cli_command *command, int count) {
    if (count < command->least)
        return cli_usage(command->name, "%s: expected %s", count == 0 ? "no operand given" : "too few operands",
                         command->operands);
    if (command->most >= 0 && count > command->most)
        return cli_usage(command->name, "too many operands (%d): expected %s", count,
                         *command->operands ? command->operands : "none");
    return CLI_GO;
}

int cli_parse(const cli_command *command, int argc, char **argv, int *operands) {
    int count = 0;
    bool ended = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(command);
            return CLI_OK;
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            int code = take_option(command, argc, argv, &i);
            if (code != CLI_GO)
                return code;
        } else {
            argv[1 + count++] = argv[i];
        }
    }
    *operands = count;
    return check_count(command, count);
}
