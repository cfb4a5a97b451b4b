/*
 * cmd_scenes.c: `cairn scenes`: the scenes that travel inside the program, and their text.
 */
#include "cli/cli.h"

#include <string.h>

const char *cli_scene_text(const char *name) {
    for (int i = 0; i < cli_scene_count; i++)
        if (strcmp(cli_scene_table[i].name, name) == 0)
            return cli_scene_table[i].text;
    return NULL;
}

const char *cli_scene_closest(const char *name) {
    const char *known[64];
    int count = 0;
    for (int i = 0; i < cli_scene_count && count < 64; i++)
        known[count++] = cli_scene_table[i].name;
    return cairn_nearest(name, known, count);
}

static int print_text(const char *name) {
    const char *text = cli_scene_text(name), *meant = cli_scene_closest(name);
    if (text == NULL)
        return cli_usage("scenes", "there is no scene '%s'%s%s%s", name, meant != NULL ? "; did you mean '" : "",
                         meant != NULL ? meant : "", meant != NULL ? "'?" : "");
    fputs(text, stdout);
    return CLI_OK;
}

static int print_list(bool as_json) {
    cairn_context *context = NULL; /* without a log: notes on a scene are for its run */
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return CLI_BAD_FILE;
    int code = CLI_OK;
    for (int i = 0; i < cli_scene_count && code == CLI_OK; i++) {
        const cli_scene *s = &cli_scene_table[i];
        cairn_scene *scene = NULL;
        cairn_status status = cairn_scene_parse(context, s->text, strlen(s->text), s->name, NULL, 0, &scene);
        if (status != CAIRN_OK) {
            code = cli_report(context, s->name, status, as_json);
            break;
        }
        cairn_scene_info info = cairn_scene_get(scene);
        if (as_json) {
            cli_json json = {.out = stdout};
            cli_json_open(&json, NULL, '{');
            cli_json_text(&json, "name", s->name);
            cli_json_text(&json, "title", info.title);
            cli_json_text(&json, "comment", info.comment);
            cli_json_int(&json, "bodies", info.bodies);
            cli_json_int(&json, "joints", info.joints);
            cli_json_real(&json, "step", info.step);
            cli_json_real(&json, "until", info.until);
            cli_json_close(&json, '}');
            cli_json_end(&json);
        } else {
            printf("%-14s %5d bodies, %3d joints, %5g s   %s\n", s->name, info.bodies, info.joints, info.until,
                   info.title);
        }
        cairn_scene_destroy(scene);
    }
    cairn_context_destroy(context);
    return code;
}

int cmd_scenes(int argc, char **argv) {
    bool as_json = false;
    const cli_option option[] = {
        {"--json", CLI_FLAG, &as_json, 0, 0, NULL, "one JSON object a scene"},
    };
    const cli_command command = {
        "scenes",
        "[NAME]",
        "Lists the scenes that ship; with a name prints that scene's file, to be changed and run from there.\n",
        "  cairn scenes\n  cairn scenes wall > my.json\n",
        0,
        1,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    int code = cli_parse(&command, argc, argv, &operands);
    if (code != CLI_GO)
        return code;
    return operands > 0 ? print_text(argv[1]) : print_list(as_json);
}
