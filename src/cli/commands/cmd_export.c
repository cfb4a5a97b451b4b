/*
 * cmd_export.c: `cairn export RUN.h5 --to FORMAT`: a recording for other programs.
 */
#include "cli/pictures.h"

typedef struct format {
    const char *ending;
    cairn_status (*write)(cairn_recording *recording, const cairn_frame_choice *choice, const char *path);
    const char *what;
} format;

/* In the order of the choice below; tables have no ending and a function of their own. */
static const format formats[] = {
    {"", NULL, "tables"},
    {".pvd", cairn_export_pvd, "a collection for ParaView"},
    {".vtkhdf", cairn_export_vtkhdf, "a VTKHDF file"},
    {".glb", cairn_export_gltf, "a binary glTF file"},
};

static int export_with(cairn_context *context, const char *path, const format *f, const cairn_frame_choice *choice,
                       const char *out) {
    cairn_recording *recording = NULL;
    cairn_status status = view_open(context, path, &recording);
    int code = CLI_OK;
    if (status == CAIRN_OK && f->write == NULL)
        code = export_csv(context, path, recording, choice, out);
    else if (status == CAIRN_OK)
        status = f->write(recording, choice, out);
    int frames = 0, shapes = 0;
    if (status == CAIRN_OK && f->write == cairn_export_gltf)
        status = cairn_export_gltf_shapes(recording, choice, &frames, &shapes);
    if (status != CAIRN_OK)
        code = cli_report(context, path, status, false);
    else if (f->write != NULL)
        printf("%s: %s\n", out, f->what);
    if (status == CAIRN_OK && shapes > 0 && shapes < frames)
        printf("flexible parts have %d shapes for %d frames, blended between; --every, --from, --until choose\n",
               shapes, frames);
    if (code == CLI_OK)
        code = view_damage(recording);
    cairn_recording_close(recording);
    return code;
}

int cmd_export(int argc, char **argv) {
    int to = 0;
    const char *out = NULL;
    cairn_frame_choice choice = cairn_default_frame_choice();
    const cli_option option[] = {
        {"--to", CLI_CHOICE, &to, 0, 0, "csv|pvd|vtkhdf|gltf", "format (default csv)"},
        {"--out", CLI_TEXT, &out, 0, 0, "OUT",
         "csv: a folder; pvd, vtkhdf, gltf: a file (default: RUN with its ending)"},
        {"--every", CLI_INTEGER, &choice.every, 1, 1e9, "K", "every K-th frame (default 1)"},
        {"--from", CLI_REAL, &choice.from, -1e300, 1e300, "T", "first time, s"},
        {"--until", CLI_REAL, &choice.to, -1e300, 1e300, "T", "last time, s"},
    };
    const cli_command command = {
        "export",
        "RUN.h5",
        "Writes a recording for other programs. csv: tables of frames, poses, contacts, reactions, bodies, joints and "
        "shapes, and of\n"
        "parts, elements and nodes of what is flexible. pvd: a ParaView collection. vtkhdf: one file with times (VTK "
        "9.3, "
        "ParaView\n"
        "5.12 or later). gltf: an animated .glb for Blender, three.js and slides. The journal of a run that was killed "
        "is "
        "read too.\n",
        "  cairn export run.h5 --to csv -o tables\n  cairn export run.h5 --to pvd -o run.pvd\n  cairn export run.h5 "
        "--to gltf --every 2\n",
        1,
        1,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    char name[512] = "";
    int code = cli_parse(&command, argc, argv, &operands);
    if (code != CLI_GO)
        return code;
    const format *f = &formats[to];
    if (f->write == NULL && out == NULL)
        return cli_usage("export", "where to? Give -o DIR");
    if (out == NULL && view_default_name(argv[1], f->ending, name, sizeof name) != CLI_GO)
        return cli_usage("export", "the name is too long; give -o OUT");
    if ((code = cli_check_target("export", out != NULL ? out : name, argv[1])) != CLI_GO)
        return code;
    cairn_context *context = cli_context(1);
    if (context == NULL)
        return CLI_BAD_FILE;
    code = export_with(context, argv[1], f, &choice, out != NULL ? out : name);
    cairn_context_destroy(context);
    return code;
}
