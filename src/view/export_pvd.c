/*
 * export_pvd.c: a ParaView collection: X.pvd lists the times, X/bodies-*.vtp and X/contacts-*.vtp hold them.
 *
 * The .vtp files are VTK's XML with the numbers appended raw, each array behind its length (UInt64), little-endian.
 *
 *     bodies     triangles; at each point: body, velocity of its centre of mass (m/s)
 *     contacts   points; impulse on b (N s), normal from a to b, gap (m), mu, residual (m/s), status (0 open, 1 stick, 2 slip), a, b
 */
#define _POSIX_C_SOURCE 200809L

#include "export_vtk.h"
#include "view_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A file in the making: its XML, and the numbers that follow it. */
typedef struct vtp {
    cairn_bytes head, data;
} vtp;

static void add_array(vtp *f, const char *type, const char *name, int components, const void *values, size_t size) {
    uint64_t length = size;
    cairn_bytes_print(
        &f->head, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%zu\"/>\n",
        type, name, components, f->data.size);
    cairn_bytes_add(&f->data, &length, sizeof length);
    cairn_bytes_add(&f->data, values, size);
}

static void begin(vtp *f, int points, int verts, int polys) {
    static const uint16_t one = 1;
    const char *order = *(const unsigned char *)&one == 1 ? "LittleEndian" : "BigEndian";
    f->head.size = f->data.size = 0;
    cairn_bytes_print(&f->head,
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
                      "header_type=\"UInt64\">\n<PolyData>\n",
                      order);
    cairn_bytes_print(&f->head,
                      "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                      "NumberOfPolys=\"%d\">\n",
                      points, verts, polys);
}

static cairn_status finish(vtp *f, const char *path) {
    cairn_context *context = f->head.context;
    cairn_bytes_text(&f->head, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
    const cairn_piece piece[] = {{f->head.data, f->head.size}, {f->data.data, f->data.size}, {tail, sizeof tail - 1}};
    return f->head.failed || f->data.failed ? CAIRN_ERROR_MEMORY : cairn_view_file(context, path, 3, piece);
}

/* Cells of size points each, one after the other; index NULL: 0, 1, 2, ... */
static void add_cells(vtp *f, const char *kind, int cells, int size, const int64_t *index) {
    cairn_bytes list = {.context = f->head.context}, ends = list;
    for (int64_t i = 0; i < cells; i++) {
        int64_t end = (i + 1) * size;
        cairn_bytes_add(&ends, &end, sizeof end);
        cairn_bytes_add(&list, &i, index == NULL ? sizeof i : 0);
    }
    if (index != NULL)
        cairn_bytes_add(&list, index, (size_t)cells * (size_t)size * sizeof *index);
    cairn_bytes_print(&f->head, "<%s>\n", kind);
    add_array(f, "Int64", "connectivity", 1, list.data, list.size);
    add_array(f, "Int64", "offsets", 1, ends.data, ends.size);
    cairn_bytes_print(&f->head, "</%s>\n", kind);
    f->data.failed = f->data.failed || list.failed || ends.failed;
    cairn_bytes_free(&list);
    cairn_bytes_free(&ends);
}

static cairn_status write_bodies(vtp *f, const cairn_scene_mesh *m, const char *path) {
    int points = (int)(m->body.size / sizeof(int32_t)), triangles = (int)(m->corner.size / (3 * sizeof(int64_t)));
    begin(f, points, 0, triangles);
    cairn_bytes_text(&f->head, "<PointData Scalars=\"body\" Vectors=\"velocity\">\n");
    add_array(f, "Int32", "body", 1, m->body.data, m->body.size);
    add_array(f, "Float32", "velocity", 3, m->velocity.data, m->velocity.size);
    cairn_bytes_text(&f->head, "</PointData>\n<Points>\n");
    add_array(f, "Float32", "Points", 3, m->point.data, m->point.size);
    cairn_bytes_text(&f->head, "</Points>\n");
    add_cells(f, "Polys", triangles, 3, (const int64_t *)(const void *)m->corner.data);
    return finish(f, path);
}

static cairn_status write_contacts(vtp *f, const cairn_frame *x, const char *path) {
    size_t n = (size_t)x->contacts, real = sizeof(double);
    begin(f, x->contacts, x->contacts, 0);
    cairn_bytes_text(&f->head, "<PointData Scalars=\"status\" Vectors=\"impulse\">\n");
    add_array(f, "Float64", "impulse", 3, x->contact_impulse, 3 * n * real);
    add_array(f, "Float64", "normal", 3, x->contact_normal, 3 * n * real);
    add_array(f, "Float64", "gap", 1, x->contact_gap, n * real);
    add_array(f, "Float64", "mu", 1, x->contact_mu, n * real);
    add_array(f, "Float64", "residual", 1, x->contact_residual, n * real);
    add_array(f, "UInt8", "status", 1, x->contact_status, n);
    add_array(f, "Int32", "bodies", 2, x->contact_body, 2 * n * sizeof(int));
    cairn_bytes_text(&f->head, "</PointData>\n<Points>\n");
    add_array(f, "Float64", "Points", 3, x->contact_point, 3 * n * real);
    cairn_bytes_text(&f->head, "</Points>\n");
    add_cells(f, "Verts", x->contacts, 1, NULL);
    return finish(f, path);
}

/* X of X.pvd; false: it does not end like that or is too long. */
static bool stem_of(const char *path, char *stem, size_t size) {
    size_t length = strlen(path);
    if (length < 5 || length >= size || strcmp(path + length - 4, ".pvd") != 0)
        return false;
    memcpy(stem, path, length - 4);
    stem[length - 4] = '\0';
    return true;
}

static cairn_status write_frames(cairn_recording *recording, int frames, const int64_t *frame, const char *stem,
                                 const cairn_skins *surfaces, cairn_bytes *list) {
    const char *slash = strrchr(stem, '/'), *base = slash != NULL ? slash + 1 : stem;
    cairn_scene_mesh mesh = {0};
    vtp file = {.head = {.context = list->context}, .data = {.context = list->context}};
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < frames && status == CAIRN_OK; k++) {
        static const char *const part[] = {"bodies", "contacts"};
        char path[1200];
        cairn_frame f;
        status = cairn_recording_frame(recording, frame[k], &f);
        for (int i = 0; i < 2 && status == CAIRN_OK; i++) {
            snprintf(path, sizeof path, "%s/%s-%06d.vtp", stem, part[i], k);
            if (i == 0)
                cairn_scene_mesh_fill(&mesh, recording, surfaces, &f);
            status = cairn_scene_mesh_failed(&mesh) ? CAIRN_ERROR_MEMORY
                     : i == 0                       ? write_bodies(&file, &mesh, path)
                                                    : write_contacts(&file, &f, path);
            cairn_bytes_print(list, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"", f.time, i);
            cairn_bytes_text(list, base);
            cairn_bytes_print(list, "/%s-%06d.vtp\"/>\n", part[i], k);
        }
    }
    cairn_scene_mesh_free(&mesh);
    cairn_bytes_free(&file.head);
    cairn_bytes_free(&file.data);
    return status;
}

cairn_status cairn_export_pvd(cairn_recording *recording, const cairn_frame_choice *choice, const char *path) {
    cairn_context *context = cairn_recording_context(recording);
    char stem[1024];
    if (path == NULL || !stem_of(path, stem, sizeof stem))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: expected a name that ends in .pvd",
                          path != NULL ? path : "NULL");
    if (strpbrk(stem, "<>&\"") != NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "%s: a name with <, >, & or \" cannot be written into the .pvd file", path);
    if (mkdir(stem, 0777) != 0 && errno != EEXIST)
        return cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be made: %s", stem, strerror(errno));
    int64_t *frame = NULL;
    int frames = 0;
    cairn_skins surfaces = {0};
    cairn_bytes list = {.context = context};
    cairn_status status = cairn_frames_choose(recording, choice, &frame, &frames);
    if (status == CAIRN_OK)
        status = cairn_skins_make(recording, &surfaces);
    cairn_bytes_text(&list, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n");
    if (status == CAIRN_OK)
        status = write_frames(recording, frames, frame, stem, &surfaces, &list);
    cairn_bytes_text(&list, "</Collection>\n</VTKFile>\n");
    if (status == CAIRN_OK)
        status = list.failed ? CAIRN_ERROR_MEMORY
                             : cairn_view_file(context, path, 1, &(cairn_piece){list.data, list.size});
    cairn_skins_free(&surfaces);
    cairn_bytes_free(&list);
    cairn_free(context, frame);
    return status;
}
