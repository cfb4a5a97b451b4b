/*
 * export_pvd.c: a ParaView collection: X.pvd lists the times, X/bodies-*.vtp, X/contacts-*.vtp and
 * X/part-P-*.vtu hold them.
 *
 * The files are VTK's XML with the numbers appended raw, each array behind its length (UInt64),
 * little-endian.
 *
 *     bodies     triangles; at each point: body, velocity of its centre of mass (m/s)
 *     contacts   points; impulse on b (N s), normal from a to b, gap (m), mu, residual (m/s),
 *                status (0 open, 1 stick, 2 slip, 3 crush), a, b
 *     part-P     elements of flexible part P; at each node: displacement since the run began (m),
 *                velocity, speed (m/s), mises (Pa, when it was recorded);
 *                at each cell the radius of a beam (m)
 */
#define _POSIX_C_SOURCE 200809L

#include "view/export/export_vtk.h"
#include "view/export_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A file in the making: its XML, and the numbers that follow it. */
typedef struct vtp {
    cairn_bytes head, data;
    const char *type; /* PolyData or UnstructuredGrid */
} vtp;

/* What all frames share. */
typedef struct collection {
    cairn_recording *recording;
    const char *stem, *base; /* X of X.pvd, with and without its folder */
    cairn_skins surfaces;
    cairn_parts parts;
    cairn_scene_mesh mesh;
    cairn_bytes room;
    vtp file;
    cairn_bytes list;
} collection;

static void add_array(vtp *f, const char *type, const char *name, int components, const void *values, size_t size) {
    uint64_t length = size;
    cairn_bytes_print(
        &f->head, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%zu\"/>\n",
        type, name, components, f->data.size);
    cairn_bytes_add(&f->data, &length, sizeof length);
    cairn_bytes_add(&f->data, values, size);
}

static void begin_file(vtp *f, const char *type) {
    static const uint16_t one = 1;
    const char *order = *(const unsigned char *)&one == 1 ? "LittleEndian" : "BigEndian";
    f->head.size = f->data.size = 0;
    f->type = type;
    cairn_bytes_print(&f->head,
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
                      "header_type=\"UInt64\">\n<%s>\n",
                      type, order, type);
}

static void begin(vtp *f, int points, int verts, int polys) {
    begin_file(f, "PolyData");
    cairn_bytes_print(&f->head,
                      "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                      "NumberOfPolys=\"%d\">\n",
                      points, verts, polys);
}

static cairn_status finish(vtp *f, const char *path) {
    cairn_context *context = f->head.context;
    cairn_bytes_print(&f->head, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", f->type);
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

static cairn_status write_part(collection *c, const cairn_recorded_part *part, int index, const cairn_frame *x,
                               const char *path) {
    vtp *f = &c->file;
    const cairn_part_cells *cells = &c->parts.item[index];
    size_t n = (size_t)part->nodes, real = sizeof(double);
    begin_file(f, "UnstructuredGrid");
    cairn_bytes_print(&f->head, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%zu\">\n", part->nodes, cells->type.size);
    cairn_bytes_print(&f->head, "<PointData Scalars=\"%s\" Vectors=\"displacement\">\n",
                      x->node_mises != NULL ? "mises" : "speed");
    cairn_part_displacement(&c->parts, x, part, &c->room);
    add_array(f, "Float64", "displacement", 3, c->room.data, c->room.size);
    add_array(f, "Float64", "velocity", 3, x->node_velocity + 3 * part->first, 3 * n * real);
    cairn_part_speed(x, part, &c->room);
    add_array(f, "Float64", "speed", 1, c->room.data, c->room.size);
    if (x->node_mises != NULL)
        add_array(f, "Float64", "mises", 1, x->node_mises + part->first, n * real);
    cairn_bytes_text(&f->head, "</PointData>\n<CellData Scalars=\"radius\">\n");
    add_array(f, "Float64", "radius", 1, cells->radius.data, cells->radius.size);
    cairn_bytes_text(&f->head, "</CellData>\n<Points>\n");
    add_array(f, "Float64", "Points", 3, x->node_position + 3 * part->first, 3 * n * real);
    cairn_bytes_text(&f->head, "</Points>\n<Cells>\n");
    add_array(f, "Int64", "connectivity", 1, cells->corner.data, cells->corner.size);
    add_array(f, "Int64", "offsets", 1, cells->end.data, cells->end.size);
    add_array(f, "UInt8", "types", 1, cells->type.data, cells->type.size);
    cairn_bytes_text(&f->head, "</Cells>\n");
    return c->room.failed ? CAIRN_ERROR_MEMORY : finish(f, path);
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

/* Files of one frame: number -2 bodies, -1 contacts, from 0 on flexible parts. */
static cairn_status write_one(collection *c, int k, const cairn_frame *f, int number) {
    char name[64], path[1200];
    cairn_recorded_part part;
    if (number >= 0) {
        cairn_status status = cairn_recording_part(c->recording, number, &part);
        if (status != CAIRN_OK || !cairn_part_present(f, &part))
            return status;
        snprintf(name, sizeof name, "part-%d-%06d.vtu", number, k);
    } else
        snprintf(name, sizeof name, "%s-%06d.vtp", number == -2 ? "bodies" : "contacts", k);
    snprintf(path, sizeof path, "%s/%s", c->stem, name);
    cairn_bytes_print(&c->list, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"", f->time, number + 2);
    cairn_bytes_text(&c->list, c->base);
    cairn_bytes_print(&c->list, "/%s\"/>\n", name);
    if (number >= 0)
        return write_part(c, &part, number, f, path);
    if (number == -1)
        return write_contacts(&c->file, f, path);
    cairn_scene_mesh_fill(&c->mesh, c->recording, &c->surfaces, f);
    return cairn_scene_mesh_failed(&c->mesh) ? CAIRN_ERROR_MEMORY : write_bodies(&c->file, &c->mesh, path);
}

static cairn_status write_all(collection *c, int frames, const int64_t *frame, const char *path) {
    cairn_context *context = c->list.context;
    cairn_status status = cairn_skins_make(c->recording, &c->surfaces);
    if (status == CAIRN_OK)
        status = cairn_parts_make(c->recording, &c->parts);
    if (status == CAIRN_OK && mkdir(c->stem, 0777) != 0 && errno != EEXIST)
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be made: %s", c->stem, strerror(errno));
    cairn_bytes_text(&c->list,
                     "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n");
    for (int k = 0; k < frames && status == CAIRN_OK; k++) {
        cairn_frame f;
        status = cairn_recording_frame(c->recording, frame[k], &f);
        for (int number = -2; number < c->parts.count && status == CAIRN_OK; number++)
            status = write_one(c, k, &f, number);
    }
    cairn_bytes_text(&c->list, "</Collection>\n</VTKFile>\n");
    if (status != CAIRN_OK)
        return status;
    return c->list.failed ? CAIRN_ERROR_MEMORY
                          : cairn_view_file(context, path, 1, &(cairn_piece){c->list.data, c->list.size});
}

cairn_status cairn_export_pvd(cairn_recording *recording, const cairn_frame_choice *choice, const char *path) {
    char stem[1024];
    cairn_status status = cairn_export_begin(recording, path);
    if (status != CAIRN_OK)
        return status;
    cairn_context *context = cairn_recording_context(recording);
    if (!stem_of(path, stem, sizeof stem))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: expected a name of at most %zu bytes that ends in .pvd",
                          path, sizeof stem - 1);
    if (strpbrk(stem, "<>&\"") != NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "%s: a name with <, >, & or \" cannot be written into the .pvd file", path);
    int64_t *frame = NULL;
    int frames = 0;
    status = cairn_frames_choose(recording, choice, &frame, &frames);
    if (status != CAIRN_OK)
        return status;
    const char *slash = strrchr(stem, '/');
    collection c = {.recording = recording, .stem = stem, .base = slash != NULL ? slash + 1 : stem};
    c.file.head.context = c.file.data.context = c.list.context = c.room.context = context;
    status = write_all(&c, frames, frame, path);
    cairn_skins_free(&c.surfaces);
    cairn_parts_free(&c.parts);
    cairn_scene_mesh_free(&c.mesh);
    cairn_bytes_free(&c.file.head);
    cairn_bytes_free(&c.file.data);
    cairn_bytes_free(&c.list);
    cairn_bytes_free(&c.room);
    cairn_free(context, frame);
    return status;
}
