/*
 * export_vtkhdf.c: a recording as one VTKHDF file, version 2.0, type UnstructuredGrid, with times
 * (group Steps).
 *
 * Every frame is one part: the points of all rigid bodies, the nodes of the flexible parts, the
 * contacts; bodies are triangles, flexible parts their elements, contacts vertices. Arrays at
 * points:
 *     kind           0 body, 1 contact, 2 node of a flexible part
 *     body           of a body or part; b of a contact
 *     velocity       of the body's centre of mass or of the node, m/s; 0 at contacts
 *     displacement   of a node since the run began, m; 0 elsewhere
 *     mises          at a node, Pa; 0 elsewhere and when it was not recorded
 *     impulse        of a contact on b, N s; 0 elsewhere
 *     gap            of a contact, m; 0 elsewhere
 *     status         0 open, 1 stick, 2 slip, 3 crush; -1 elsewhere
 *     residual       of a contact: how far from its law, m/s; 0 elsewhere
 * Nothing is shared between frames, which every reader understands; deflate removes most of what
 * repeats.
 */
#define _POSIX_C_SOURCE 200809L

#include "io/hdf5/hdf5_output.h"
#include "view/export/export_vtk.h"
#include "view/export_file.h"

#include <string.h>

/* The datasets. Those from POINT_OFFSETS on say where a frame begins. */
enum {
    POINTS = 0,
    KIND, /* the first of the arrays at points */
    BODY,
    VELOCITY,
    DISPLACEMENT,
    MISES,
    IMPULSE,
    GAP,
    STATUS,
    RESIDUAL, /* the last of them */
    CONNECTIVITY,
    OFFSETS,
    TYPES,
    POINT_COUNT,
    CELL_COUNT,
    ID_COUNT,
    VALUES,
    PART_OFFSETS,
    PART_COUNT,
    POINT_OFFSETS,
    CELL_OFFSETS,
    ID_OFFSETS,
    SETS
};

typedef enum number { REAL = 0, SINGLE, LONG, INT, BYTE } number;

static const struct {
    const char *path;
    number stored, given; /* in the file, in memory */
    int columns;          /* 0: one number, without a second dimension */
} layout[SETS] = {
    [POINTS] = {"Points", SINGLE, SINGLE, 3},
    [KIND] = {"PointData/kind", BYTE, BYTE, 0},
    [BODY] = {"PointData/body", INT, INT, 0},
    [VELOCITY] = {"PointData/velocity", SINGLE, SINGLE, 3},
    [DISPLACEMENT] = {"PointData/displacement", SINGLE, REAL, 3},
    [MISES] = {"PointData/mises", SINGLE, REAL, 0},
    [IMPULSE] = {"PointData/impulse", REAL, REAL, 3},
    [GAP] = {"PointData/gap", REAL, REAL, 0},
    [STATUS] = {"PointData/status", BYTE, BYTE, 0},
    [RESIDUAL] = {"PointData/residual", REAL, REAL, 0},
    [CONNECTIVITY] = {"Connectivity", LONG, LONG, 0},
    [OFFSETS] = {"Offsets", LONG, LONG, 0},
    [TYPES] = {"Types", BYTE, BYTE, 0},
    [POINT_COUNT] = {"NumberOfPoints", LONG, LONG, 0},
    [CELL_COUNT] = {"NumberOfCells", LONG, LONG, 0},
    [ID_COUNT] = {"NumberOfConnectivityIds", LONG, LONG, 0},
    [VALUES] = {"Steps/Values", REAL, REAL, 0},
    [PART_OFFSETS] = {"Steps/PartOffsets", LONG, LONG, 0},
    [PART_COUNT] = {"Steps/NumberOfParts", LONG, LONG, 0},
    [POINT_OFFSETS] = {"Steps/PointOffsets", LONG, LONG, 0},
    [CELL_OFFSETS] = {"Steps/CellOffsets", LONG, LONG, 1},
    [ID_OFFSETS] = {"Steps/ConnectivityIdOffsets", LONG, LONG, 1},
};

static const size_t width[] = {sizeof(double), sizeof(float), sizeof(int64_t), sizeof(int32_t), 1};

typedef struct writer {
    hid_t file;
    hid_t set[SETS], offset[RESIDUAL + 1]; /* offset: Steps/PointDataOffsets, from KIND on */
    hsize_t rows[SETS];
    cairn_bytes now[SETS]; /* rows of the frame */
    cairn_bytes room;
    int64_t points, cells, ids, frames; /* written so far */
    int64_t point, corner;              /* of this frame so far */
    bool bad;
} writer;

/* Not H5T_NATIVE_UINT8 for STATUS: it has -1. Types are below 128. */
static hid_t type_of(number n, bool memory) {
    const hid_t stored[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I64LE, H5T_STD_I32LE, H5T_STD_I8LE};
    const hid_t native[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT64, H5T_NATIVE_INT32, H5T_NATIVE_INT8};
    return memory ? native[n] : stored[n];
}

static hid_t add_set(writer *w, const char *name, hid_t type, int columns) {
    char path[128];
    hsize_t size[2] = {0, (hsize_t)columns}, most[2] = {H5S_UNLIMITED, (hsize_t)columns},
            chunk[2] = {16384, (hsize_t)columns};
    int rank = columns > 0 ? 2 : 1;
    hid_t space = H5Screate_simple(rank, size, most), create = H5Pcreate(H5P_DATASET_CREATE),
          link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(link, 1);
    H5Pset_chunk(create, rank, chunk);
    H5Pset_obj_track_times(create, false); /* the same data gives the same bytes */
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        H5Pset_shuffle(create);
        H5Pset_deflate(create, 4);
    }
    snprintf(path, sizeof path, "/VTKHDF/%s", name);
    hid_t set = H5Dcreate2(w->file, path, type, space, link, create, H5P_DEFAULT);
    w->bad = w->bad || set < 0;
    H5Pclose(link);
    H5Pclose(create);
    H5Sclose(space);
    return set;
}

/* Rows behind those that a dataset has. */
static void append(writer *w, hid_t set, hsize_t before, hsize_t rows, int columns, hid_t type, const void *values) {
    int rank = columns > 0 ? 2 : 1;
    hsize_t begin[2] = {before, 0}, count[2] = {rows, (hsize_t)columns}, size[2] = {before + rows, (hsize_t)columns};
    if (w->bad || rows == 0)
        return;
    w->bad = H5Dset_extent(set, size) < 0;
    hid_t to = H5Dget_space(set), from = H5Screate_simple(rank, count, NULL);
    w->bad = w->bad || H5Sselect_hyperslab(to, H5S_SELECT_SET, begin, NULL, count, NULL) < 0 ||
             H5Dwrite(set, type, from, to, H5P_DEFAULT, values) < 0;
    H5Sclose(to);
    H5Sclose(from);
}

static void add_attribute(writer *w, hid_t object, const char *name, hid_t type, int count, const void *value) {
    hsize_t size = (hsize_t)count;
    hid_t space = count > 0 ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    w->bad = w->bad || attribute < 0 || H5Awrite(attribute, type, value) < 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
}

static void make_head(writer *w) {
    static const char kind[] = "UnstructuredGrid";
    const int64_t version[2] = {2, 0};
    hid_t group = H5Gcreate2(w->file, "/VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, sizeof kind - 1);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    w->bad = w->bad || group < 0;
    add_attribute(w, group, "Version", H5T_NATIVE_INT64, 2, version);
    add_attribute(w, group, "Type", text, 0, kind);
    H5Tclose(text);
    if (group >= 0)
        H5Gclose(group);
    for (int i = 0; i < SETS; i++)
        w->set[i] = add_set(w, layout[i].path, i == TYPES ? H5T_STD_U8LE : type_of(layout[i].stored, false),
                            layout[i].columns);
    for (int i = KIND; i <= RESIDUAL; i++) {
        char path[96];
        snprintf(path, sizeof path, "Steps/PointDataOffsets/%s", strchr(layout[i].path, '/') + 1);
        w->offset[i] = add_set(w, path, H5T_STD_I64LE, 0);
    }
}

static void put_long(writer *w, int set, int64_t value) {
    cairn_bytes_add(&w->now[set], &value, sizeof value);
}

/* Count rows of the same byte in an array. */
static void put_same(writer *w, int set, int64_t rows, int byte) {
    size_t size = (size_t)rows * width[layout[set].given] * (size_t)(layout[set].columns > 0 ? layout[set].columns : 1);
    unsigned char *at = size > 0 ? cairn_bytes_room(&w->now[set], size) : NULL;
    if (at != NULL)
        memset(at, byte, size);
}

static void put_floats(cairn_bytes *out, int64_t count, const double *x) {
    for (int64_t i = 0; i < count; i++) {
        float value = (float)x[i];
        cairn_bytes_add(out, &value, sizeof value);
    }
}

/* What these points do not have: 0, status -1; arrays first to last. */
static void put_nothing(writer *w, int64_t rows, int first, int last) {
    for (int set = first; set <= last; set++)
        put_same(w, set, rows, set == STATUS ? 0xFF : 0);
}

static void put_cell(writer *w, unsigned char type, int nodes, const int64_t *node, int64_t base) {
    put_long(w, OFFSETS, w->corner);
    cairn_bytes_add(&w->now[TYPES], &type, 1);
    for (int k = 0; k < nodes; k++)
        put_long(w, CONNECTIVITY, base + node[k]);
    w->corner += nodes;
}

static void put_bodies(writer *w, const cairn_scene_mesh *m) {
    int64_t points = (int64_t)(m->body.size / sizeof(int32_t));
    const int64_t *corner = (const int64_t *)(const void *)m->corner.data;
    cairn_bytes_add(&w->now[POINTS], m->point.data, m->point.size);
    put_same(w, KIND, points, 0);
    cairn_bytes_add(&w->now[BODY], m->body.data, m->body.size);
    cairn_bytes_add(&w->now[VELOCITY], m->velocity.data, m->velocity.size);
    put_nothing(w, points, DISPLACEMENT, RESIDUAL);
    for (size_t i = 0; i < m->corner.size / (3 * sizeof *corner); i++)
        put_cell(w, CAIRN_VTK_TRIANGLE, 3, corner + 3 * i, w->point);
    w->point += points;
}

static void put_part(writer *w, const cairn_parts *parts, int index, const cairn_frame *f,
                     const cairn_recorded_part *part) {
    const cairn_part_cells *cells = &parts->item[index];
    const int64_t *corner = (const int64_t *)(const void *)cells->corner.data,
                  *end = (const int64_t *)(const void *)cells->end.data;
    int64_t begin = 0;
    put_floats(&w->now[POINTS], 3 * (int64_t)part->nodes, f->node_position + 3 * part->first);
    put_same(w, KIND, part->nodes, 2);
    for (int i = 0; i < part->nodes; i++)
        cairn_bytes_add(&w->now[BODY], &part->body, sizeof part->body);
    put_floats(&w->now[VELOCITY], 3 * (int64_t)part->nodes, f->node_velocity + 3 * part->first);
    cairn_part_displacement(parts, f, part, &w->room);
    cairn_bytes_add(&w->now[DISPLACEMENT], w->room.data, w->room.size);
    if (f->node_mises != NULL)
        cairn_bytes_add(&w->now[MISES], f->node_mises + part->first, (size_t)part->nodes * sizeof(double));
    else
        put_same(w, MISES, part->nodes, 0);
    put_nothing(w, part->nodes, IMPULSE, RESIDUAL);
    for (size_t i = 0; i < cells->type.size; i++) {
        put_cell(w, cells->type.data[i], (int)(end[i] - begin), corner + begin, w->point);
        begin = end[i];
    }
    w->point += part->nodes;
}

static void put_contacts(writer *w, const cairn_frame *f) {
    size_t n = (size_t)f->contacts, real = sizeof(double);
    put_floats(&w->now[POINTS], 3 * (int64_t)f->contacts, f->contact_point);
    put_same(w, KIND, f->contacts, 1);
    for (int i = 0; i < f->contacts; i++)
        cairn_bytes_add(&w->now[BODY], &f->contact_body[2 * i + 1], sizeof(int));
    put_nothing(w, f->contacts, VELOCITY, MISES);
    cairn_bytes_add(&w->now[IMPULSE], f->contact_impulse, 3 * n * real);
    cairn_bytes_add(&w->now[GAP], f->contact_gap, n * real);
    cairn_bytes_add(&w->now[STATUS], f->contact_status, n);
    cairn_bytes_add(&w->now[RESIDUAL], f->contact_residual, n * real);
    for (int64_t i = 0; i < f->contacts; i++)
        put_cell(w, CAIRN_VTK_VERTEX, 1, &i, w->point);
    w->point += f->contacts;
}

/* Counts and offsets of the frame, then all its rows into the file. */
static void end_frame(writer *w, double time) {
    int64_t cells = (int64_t)w->now[TYPES].size;
    put_long(w, OFFSETS, w->corner);
    put_long(w, POINT_COUNT, w->point);
    put_long(w, CELL_COUNT, cells);
    put_long(w, ID_COUNT, w->corner);
    cairn_bytes_add(&w->now[VALUES], &time, sizeof time);
    put_long(w, PART_OFFSETS, w->frames);
    put_long(w, PART_COUNT, 1);
    put_long(w, POINT_OFFSETS, w->points);
    put_long(w, CELL_OFFSETS, w->cells);
    put_long(w, ID_OFFSETS, w->ids);
    for (int i = 0; i < SETS; i++)
        w->room.failed = w->room.failed || w->now[i].failed;
    for (int i = 0; i < SETS && !w->room.failed; i++) {
        int columns = layout[i].columns;
        hsize_t rows = w->now[i].size / (width[layout[i].given] * (size_t)(columns > 0 ? columns : 1));
        append(w, w->set[i], w->rows[i], rows, columns, type_of(layout[i].given, true), w->now[i].data);
        w->rows[i] += rows;
    }
    for (int i = KIND; i <= RESIDUAL && !w->room.failed; i++)
        append(w, w->offset[i], (hsize_t)w->frames, 1, 0, H5T_NATIVE_INT64, &w->points);
    w->frames++;
    w->points += w->point;
    w->cells += cells;
    w->ids += w->corner;
}

static void begin_frame(writer *w) {
    w->point = w->corner = 0;
    for (int i = 0; i < SETS; i++)
        w->now[i].size = 0;
}

static cairn_status write_frame(cairn_recording *recording, int64_t index, const cairn_skins *surfaces,
                                const cairn_parts *parts, cairn_scene_mesh *mesh, writer *w) {
    cairn_frame f;
    cairn_status status = cairn_recording_frame(recording, index, &f);
    if (status != CAIRN_OK)
        return status;
    cairn_scene_mesh_fill(mesh, recording, surfaces, &f);
    if (cairn_scene_mesh_failed(mesh))
        return CAIRN_ERROR_MEMORY;
    begin_frame(w);
    put_bodies(w, mesh);
    for (int i = 0; i < parts->count; i++) {
        cairn_recorded_part part;
        if (cairn_recording_part(recording, i, &part) == CAIRN_OK && cairn_part_present(&f, &part))
            put_part(w, parts, i, &f, &part);
    }
    put_contacts(w, &f);
    end_frame(w, f.time);
    return w->room.failed ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

static void close_sets(writer *w) {
    for (int i = 0; i < SETS; i++) {
        if (w->set[i] >= 0)
            H5Dclose(w->set[i]);
        cairn_bytes_free(&w->now[i]);
    }
    for (int i = KIND; i <= RESIDUAL; i++)
        if (w->offset[i] >= 0)
            H5Dclose(w->offset[i]);
    cairn_bytes_free(&w->room);
}

static cairn_status write_all(cairn_recording *recording, int frames, const int64_t *frame, writer *w) {
    cairn_skins surfaces = {0};
    cairn_parts parts = {0};
    cairn_scene_mesh mesh = {0};
    w->room.context = cairn_recording_context(recording);
    for (int i = 0; i < SETS; i++)
        w->now[i].context = w->room.context;
    cairn_status status = cairn_skins_make(recording, &surfaces);
    if (status == CAIRN_OK)
        status = cairn_parts_make(recording, &parts);
    make_head(w);
    for (int k = 0; k < frames && status == CAIRN_OK && !w->bad; k++)
        status = write_frame(recording, frame[k], &surfaces, &parts, &mesh, w);
    int64_t count = frames;
    hid_t steps = H5Gopen2(w->file, "/VTKHDF/Steps", H5P_DEFAULT);
    add_attribute(w, steps, "NSteps", H5T_NATIVE_INT64, 0, &count);
    H5Gclose(steps);
    close_sets(w);
    cairn_skins_free(&surfaces);
    cairn_parts_free(&parts);
    cairn_scene_mesh_free(&mesh);
    return status;
}

static cairn_status write_output(cairn_recording *recording, int frames, const int64_t *frame, const char *path,
                                 const cairn_output *output) {
    cairn_context *context = cairn_recording_context(recording);
    cairn_status status = CAIRN_OK;
    cairn_hdf5_output h;
    writer w = {0};
    H5E_BEGIN_TRY {
        w.file = cairn_hdf5_output_open(&h, output, false);
        w.bad = w.file < 0;
        if (!w.bad)
            status = write_all(recording, frames, frame, &w);
        w.bad = !cairn_hdf5_output_close(&h) || w.bad;
    }
    H5E_END_TRY
    if (status == CAIRN_OK && w.bad)
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be written: %s", path,
                            h.error != 0 ? strerror(h.error) : "libhdf5 gives no reason");
    return status;
}

cairn_status cairn_export_vtkhdf(cairn_recording *recording, const cairn_frame_choice *choice, const char *path) {
    int64_t *frame = NULL;
    int frames = 0;
    cairn_output *output = NULL;
    cairn_status status = cairn_export_begin(recording, path);
    if (status != CAIRN_OK)
        return status;
    cairn_context *context = cairn_recording_context(recording);
    status = cairn_frames_choose(recording, choice, &frame, &frames);
    if (status == CAIRN_OK)
        status = cairn_output_open_seeking(context, path, &output);
    if (status == CAIRN_OK)
        status = write_output(recording, frames, frame, path, output);
    cairn_status closed = cairn_output_close(output, status == CAIRN_OK);
    cairn_free(context, frame);
    return status == CAIRN_OK ? closed : status;
}
