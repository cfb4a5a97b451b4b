/*
 * gmsh.c: meshes from files of Gmsh (.msh), text, versions 2.2 and 4.1.
 */
#define _POSIX_C_SOURCE 200809L

#include "io/mesh_file/gmsh.h"
#include "io/mesh_file/surface_file.h"

#include <cairn/io.h>

#include <locale.h>
#include <math.h>

static cairn_status parse(cairn_context *context, const char *text, size_t size, const char *name, double scale,
                          cairn_fem_mesh **mesh) {
    cairn_gmsh m = {.context = context,
                    .scan = {.context = context, .at = text, .end = text + size, .line = 1, .word_line = 1}};
    cairn_status status = cairn_gmsh_scan(&m);
    if (status != CAIRN_OK && status != CAIRN_ERROR_MEMORY)
        status = cairn_fail(context, status, "%s: %s", name, m.scan.message);
    else if (status == CAIRN_OK && (m.node == NULL || m.element == NULL))
        status = cairn_fail(context, CAIRN_ERROR_PARSE, "%s: no %s section", name,
                            m.node == NULL ? "$Nodes" : "$Elements");
    if (status == CAIRN_OK)
        status = cairn_gmsh_build(&m, name, scale, mesh);
    cairn_gmsh_clear(&m);
    return status;
}

cairn_status cairn_fem_mesh_parse(cairn_context *context, const void *bytes, size_t size, const char *name,
                                  double scale, cairn_fem_mesh **mesh) {
    if (context == NULL || bytes == NULL || name == NULL || mesh == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_fem_mesh_parse: an argument is NULL");
    if (!(scale > 0.0) || !isfinite(scale))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: the scale is %g; it must be positive and finite", name,
                          scale);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cairn_fail(context, CAIRN_ERROR_MEMORY, "%s: out of memory: no \"C\" locale", name);
    locale_t before = uselocale(plain);
    cairn_status status = parse(context, bytes, size, name, scale, mesh);
    uselocale(before);
    freelocale(plain);
    return status;
}

cairn_status cairn_fem_mesh_read(cairn_context *context, const char *path, double scale, cairn_fem_mesh **mesh) {
    if (context == NULL || path == NULL || mesh == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_fem_mesh_read: an argument is NULL");
    char *bytes = NULL;
    size_t size = 0;
    cairn_status status = cairn_bytes_read(context, path, &bytes, &size);
    if (status == CAIRN_OK)
        status = cairn_fem_mesh_parse(context, bytes, size, path, scale, mesh);
    cairn_free(context, bytes);
    return status;
}
