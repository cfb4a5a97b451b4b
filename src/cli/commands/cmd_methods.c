/*
 * cmd_methods.c: `cairn methods [NAME]`: the table of methods, or one method with its settings.
 */
#include "cli/cli.h"

#include <string.h>

enum { OPTIONS_MAX = 64, RANGE_MAX = 44 };

static int method_options(const char *name, cairn_option_info options[OPTIONS_MAX]) {
    int count = cairn_method_options(name, options, OPTIONS_MAX);
    return count > OPTIONS_MAX ? OPTIONS_MAX : count;
}

static void print_json(const cairn_method_info *method) {
    cairn_option_info option[OPTIONS_MAX];
    int count = method_options(method->name, option);
    cli_json json = {.out = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "name", method->name);
    cli_json_text(&json, "summary", method->summary);
    cli_json_text(&json, "paper", method->paper);
    cli_json_text(&json, "accepts", method->accepts);
    cli_json_open(&json, "settings", '[');
    for (int i = 0; i < count; i++) {
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "key", option[i].key);
        cli_json_text(&json, "type", option[i].type);
        cli_json_text(&json, "default", option[i].value);
        cli_json_text(&json, "range", option[i].range);
        cli_json_text(&json, "help", option[i].help);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    cli_json_end(&json);
}

static int widest(int width, const char *text) {
    int length = (int)strlen(text);
    return length > width ? length : width;
}

/* A long list of names goes behind the meaning, so that the table stays narrow. */
static bool is_long(const cairn_option_info *option) {
    return strlen(option->range) > RANGE_MAX;
}

static void print_options(const char *method) {
    cairn_option_info option[OPTIONS_MAX];
    int count = method_options(method, option);
    cli_column column[] = {{"setting", 7}, {"type", 4}, {"default", 7}, {"range", 5}, {"meaning", -1}};
    for (int i = 0; i < count; i++) {
        column[0].width = widest(column[0].width, option[i].key);
        column[1].width = widest(column[1].width, option[i].type);
        column[2].width = widest(column[2].width, option[i].value);
        column[3].width = widest(column[3].width, is_long(&option[i]) ? "" : option[i].range);
    }
    for (int i = 0; i < 4; i++)
        column[i].width = -column[i].width;
    printf("\nsettings, changed with --opt KEY=VALUE:\n");
    cli_table_head(column, 5);
    for (int i = 0; i < count; i++) {
        char meaning[400];
        snprintf(meaning, sizeof meaning, "%s: %s", option[i].help, option[i].range);
        const char *cell[] = {option[i].key, option[i].type, option[i].value,
                              is_long(&option[i]) ? "names" : option[i].range,
                              is_long(&option[i]) ? meaning : option[i].help};
        cli_table_row(column, 5, cell, -1, "");
    }
}

static void print_method(const cairn_method_info *method, bool with_options) {
    printf("%s%s%s: %s\n", cli_bold(), method->name, cli_plain(), method->summary);
    printf("    from     %s\n    accepts  %s\n", method->paper, method->accepts);
    if (with_options)
        print_options(method->name);
}

int cmd_methods(int argc, char **argv) {
    bool json = false;
    const cli_option option[] = {
        {"--json", CLI_FLAG, &json, 0, 0, NULL, "one JSON object a method, with its settings"},
    };
    const cli_command command = {
        "methods",
        "[NAME]",
        "Lists every method, the paper it comes from and the problems it accepts. The first is the default of\n"
        "cairn solve. With a NAME: also its settings with their defaults and ranges.\n",
        "  cairn methods\n  cairn methods padmm\n  cairn methods --json\n",
        0,
        1,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    int code = cli_parse(&command, argc, argv, &operands);
    if (code != CLI_GO)
        return code;
    if (operands == 1 && (code = cli_check_method("methods", argv[1])) != CLI_GO)
        return code;
    for (int i = 0; i < cairn_method_count(); i++) {
        cairn_method_info method;
        if (cairn_method_get(i, &method) != CAIRN_OK || (operands == 1 && strcmp(method.name, argv[1]) != 0))
            continue;
        if (json)
            print_json(&method);
        else
            print_method(&method, operands == 1);
    }
    return CLI_OK;
}
