/*
 * export_vtkhdf.c: a recording as one VTKHDF file, version 2.0, type PolyData, with times (group Steps).
 *
 * Every frame is one part: the points of all bodies, then those of its contacts; bodies are polygons, contacts vertices. Arrays at points:
 *     kind       0 body, 1 contact                     body       of a body; b of a contact
 *     velocity   of the body's centre of mass, m/s     impulse    on b, N s; 0 at bodies
 *     gap        m; 0 at bodies                        status     0 open, 1 stick, 2 slip; -1 at bodies
 *     residual   how far from its law, m/s; 0 at bodies
 * Nothing is shared between frames, which every reader understands; deflate removes most of what repeats.
 */
#define _POSIX_C_SOURCE 200809L

#include "export_vtk.h"
#include "view_file.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TOPOLOGIES = 4, VERTICES = 0, POLYGONS = 2, ARRAYS = 7 };

/* A dataset that grows by rows. */
typedef struct growing {
    hid_t set;
    hsize_t rows;
    int columns;
} growing;

/* The sets in order: points, the arrays, then for each topology counts of ids and cells, offsets, connectivity; points of parts; times and offsets. */
enum {
    POINTS = 0,
    KIND,
    BODY,
    VELOCITY,
    IMPULSE,
    GAP,
    STATUS,
    RESIDUAL,
    TOPOLOGY, /* 4 sets each: NumberOfConnectivityIds, NumberOfCells, Offsets, Connectivity */
    NUMBER = TOPOLOGY + 4 * TOPOLOGIES,
    VALUES,
    PART_OFFSETS,
    NUMBER_OF_PARTS,
    POINT_OFFSETS,
    CELL_OFFSETS,
    ID_OFFSETS,
    FIRST_DATA_OFFSETS /* of the arrays, in their order */
};

typedef struct writer {
    hid_t file;
    growing set[FIRST_DATA_OFFSETS + ARRAYS];
    int sets;
    int64_t cells[TOPOLOGIES], ids[TOPOLOGIES], points; /* written so far */
    bool bad;
} writer;

static const char *const array_name[ARRAYS] = {"kind", "body", "velocity", "impulse", "gap", "status", "residual"};

static void add_set(writer *w, const char *path, hid_t type, int columns) {
    hsize_t size[2] = {0, (hsize_t)columns}, most[2] = {H5S_UNLIMITED, (hsize_t)columns},
            chunk[2] = {16384, (hsize_t)columns};
    int rank = columns > 1 ? 2 : 1;
    hid_t space = H5Screate_simple(rank, size, most), create = H5Pcreate(H5P_DATASET_CREATE),
          link = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(link, 1);
    H5Pset_chunk(create, rank, chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        H5Pset_shuffle(create);
        H5Pset_deflate(create, 4);
    }
    hid_t set = H5Dcreate2(w->file, path, type, space, link, create, H5P_DEFAULT);
    w->bad = w->bad || set < 0;
    w->set[w->sets++] = (growing){set, 0, columns};
    H5Pclose(link);
    H5Pclose(create);
    H5Sclose(space);
}

static void append(writer *w, int index, hid_t type, int64_t rows, const void *values) {
    growing *g = &w->set[index];
    int rank = g->columns > 1 ? 2 : 1;
    hsize_t begin[2] = {g->rows, 0}, count[2] = {(hsize_t)rows, (hsize_t)g->columns},
            size[2] = {g->rows + (hsize_t)rows, (hsize_t)g->columns};
    if (w->bad || rows == 0)
        return;
    w->bad = H5Dset_extent(g->set, size) < 0;
    hid_t to = H5Dget_space(g->set), from = H5Screate_simple(rank, count, NULL);
    w->bad = w->bad || H5Sselect_hyperslab(to, H5S_SELECT_SET, begin, NULL, count, NULL) < 0 ||
             H5Dwrite(g->set, type, from, to, H5P_DEFAULT, values) < 0;
    H5Sclose(to);
    H5Sclose(from);
    g->rows += (hsize_t)rows;
}

static void append_long(writer *w, int index, int64_t value) {
    append(w, index, H5T_NATIVE_INT64, 1, &value);
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
    static const char *const topology[TOPOLOGIES] = {"Vertices", "Lines", "Polygons", "Strips"};
    static const char *const part[4] = {"NumberOfConnectivityIds", "NumberOfCells", "Offsets", "Connectivity"};
    const int64_t version[2] = {2, 0};
    char path[128];
    hid_t group = H5Gcreate2(w->file, "/VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 8);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    w->bad = w->bad || group < 0;
    add_attribute(w, group, "Version", H5T_NATIVE_INT64, 2, version);
    add_attribute(w, group, "Type", text, 0, "PolyData");
    H5Tclose(text);
    if (group >= 0)
        H5Gclose(group);
    add_set(w, "/VTKHDF/Points", H5T_IEEE_F32LE, 3);
    const hid_t type[ARRAYS] = {H5T_STD_I8LE,   H5T_STD_I32LE, H5T_IEEE_F32LE, H5T_IEEE_F64LE,
                                H5T_IEEE_F64LE, H5T_STD_I8LE,  H5T_IEEE_F64LE};
    for (int i = 0; i < ARRAYS; i++) {
        snprintf(path, sizeof path, "/VTKHDF/PointData/%s", array_name[i]);
        add_set(w, path, type[i], i == 2 || i == 3 ? 3 : 1);
    }
    for (int t = 0; t < TOPOLOGIES; t++)
        for (int i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "/VTKHDF/%s/%s", topology[t], part[i]);
            add_set(w, path, H5T_STD_I64LE, 1);
        }
    add_set(w, "/VTKHDF/NumberOfPoints", H5T_STD_I64LE, 1);
    add_set(w, "/VTKHDF/Steps/Values", H5T_IEEE_F64LE, 1);
    add_set(w, "/VTKHDF/Steps/PartOffsets", H5T_STD_I64LE, 1);
    add_set(w, "/VTKHDF/Steps/NumberOfParts", H5T_STD_I64LE, 1);
    add_set(w, "/VTKHDF/Steps/PointOffsets", H5T_STD_I64LE, 1);
    add_set(w, "/VTKHDF/Steps/CellOffsets", H5T_STD_I64LE, TOPOLOGIES);
    add_set(w, "/VTKHDF/Steps/ConnectivityIdOffsets", H5T_STD_I64LE, TOPOLOGIES);
    for (int i = 0; i < ARRAYS; i++) {
        snprintf(path, sizeof path, "/VTKHDF/Steps/PointDataOffsets/%s", array_name[i]);
        add_set(w, path, H5T_STD_I64LE, 1);
    }
}

/* Cells of one topology of a frame: size points each; first: point of the first cell when index is NULL. */
static void add_cells(writer *w, int topology, int64_t cells, int size, const int64_t *index, int64_t first,
                      cairn_bytes *room) {
    int at = TOPOLOGY + 4 * topology;
    append_long(w, at, cells * size);
    append_long(w, at + 1, cells);
    room->size = 0;
    for (int64_t i = 0; i <= cells; i++) {
        int64_t offset = i * size;
        cairn_bytes_add(room, &offset, sizeof offset);
    }
    w->bad = w->bad || room->failed;
    append(w, at + 2, H5T_NATIVE_INT64, cells + 1, room->data);
    room->size = 0;
    for (int64_t i = 0; index == NULL && i < cells * size; i++) {
        int64_t point = first + i;
        cairn_bytes_add(room, &point, sizeof point);
    }
    w->bad = w->bad || room->failed;
    append(w, at + 3, H5T_NATIVE_INT64, cells * size, index != NULL ? (const void *)index : room->data);
    w->cells[topology] += cells;
    w->ids[topology] += cells * size;
}

/* Count bytes of the same value as an array of 8-bit integers. */
static void append_same(writer *w, int index, int64_t rows, size_t width, hid_t type, cairn_bytes *room, int byte) {
    room->size = 0;
    unsigned char *at = cairn_bytes_room(room, (size_t)rows * width);
    w->bad = w->bad || room->failed;
    if (at != NULL && rows > 0)
        memset(at, byte, (size_t)rows * width);
    append(w, index, type, rows, room->data);
}

static void add_contact_points(writer *w, const cairn_frame *f, cairn_bytes *room) {
    int64_t n = f->contacts;
    append(w, POINTS, H5T_NATIVE_DOUBLE, n, f->contact_point);
    append_same(w, KIND, n, 1, H5T_NATIVE_INT8, room, 1);
    room->size = 0;
    for (int i = 0; i < f->contacts; i++)
        cairn_bytes_add(room, &f->contact_body[2 * i + 1], sizeof(int));
    w->bad = w->bad || room->failed;
    append(w, BODY, H5T_NATIVE_INT, n, room->data);
    append_same(w, VELOCITY, n, 3 * sizeof(float), H5T_NATIVE_FLOAT, room, 0);
    append(w, IMPULSE, H5T_NATIVE_DOUBLE, n, f->contact_impulse);
    append(w, GAP, H5T_NATIVE_DOUBLE, n, f->contact_gap);
    append(w, STATUS, H5T_NATIVE_UINT8, n, f->contact_status);
    append(w, RESIDUAL, H5T_NATIVE_DOUBLE, n, f->contact_residual);
}

static void add_frame(writer *w, int k, const cairn_frame *f, const cairn_scene_mesh *m, cairn_bytes *room) {
    int64_t points = (int64_t)(m->body.size / sizeof(int32_t)),
            triangles = (int64_t)(m->corner.size / (3 * sizeof(int64_t)));
    append(w, VALUES, H5T_NATIVE_DOUBLE, 1, &f->time);
    append_long(w, PART_OFFSETS, k);
    append_long(w, NUMBER_OF_PARTS, 1);
    append_long(w, POINT_OFFSETS, w->points);
    append(w, CELL_OFFSETS, H5T_NATIVE_INT64, 1, w->cells);
    append(w, ID_OFFSETS, H5T_NATIVE_INT64, 1, w->ids);
    for (int i = 0; i < ARRAYS; i++)
        append_long(w, FIRST_DATA_OFFSETS + i, w->points);
    append_long(w, NUMBER, points + f->contacts);
    append(w, POINTS, H5T_NATIVE_FLOAT, points, m->point.data);
    append_same(w, KIND, points, 1, H5T_NATIVE_INT8, room, 0);
    append(w, BODY, H5T_NATIVE_INT32, points, m->body.data);
    append(w, VELOCITY, H5T_NATIVE_FLOAT, points, m->velocity.data);
    append_same(w, IMPULSE, points, 3 * sizeof(double), H5T_NATIVE_DOUBLE, room, 0);
    append_same(w, GAP, points, sizeof(double), H5T_NATIVE_DOUBLE, room, 0);
    append_same(w, STATUS, points, 1, H5T_NATIVE_INT8, room, 0xFF);
    append_same(w, RESIDUAL, points, sizeof(double), H5T_NATIVE_DOUBLE, room, 0);
    add_contact_points(w, f, room);
    add_cells(w, VERTICES, f->contacts, 1, NULL, points, room);
    add_cells(w, 1, 0, 2, NULL, 0, room);
    add_cells(w, POLYGONS, triangles, 3, (const int64_t *)(const void *)m->corner.data, 0, room);
    add_cells(w, 3, 0, 3, NULL, 0, room);
    w->points += points + f->contacts;
}

static cairn_status write_all(cairn_recording *recording, int frames, const int64_t *frame, writer *w) {
    cairn_skins surfaces = {0};
    cairn_scene_mesh mesh = {0};
    cairn_bytes room = {.context = cairn_recording_context(recording)};
    cairn_status status = cairn_skins_make(recording, &surfaces);
    make_head(w);
    for (int k = 0; k < frames && status == CAIRN_OK && !w->bad; k++) {
        cairn_frame f;
        status = cairn_recording_frame(recording, frame[k], &f);
        if (status != CAIRN_OK)
            break;
        cairn_scene_mesh_fill(&mesh, recording, &surfaces, &f);
        if (cairn_scene_mesh_failed(&mesh))
            status = CAIRN_ERROR_MEMORY;
        else
            add_frame(w, k, &f, &mesh, &room);
    }
    if (room.failed)
        status = CAIRN_ERROR_MEMORY;
    int64_t count = frames;
    hid_t steps = H5Gopen2(w->file, "/VTKHDF/Steps", H5P_DEFAULT);
    add_attribute(w, steps, "NSteps", H5T_NATIVE_INT64, 0, &count);
    H5Gclose(steps);
    for (int i = 0; i < w->sets; i++)
        if (w->set[i].set >= 0)
            H5Dclose(w->set[i].set);
    cairn_skins_free(&surfaces);
    cairn_scene_mesh_free(&mesh);
    cairn_bytes_free(&room);
    return status;
}

cairn_status cairn_export_vtkhdf(cairn_recording *recording, const cairn_frame_choice *choice, const char *path) {
    cairn_context *context = cairn_recording_context(recording);
    int64_t *frame = NULL;
    int frames = 0;
    if (path == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "VTKHDF: path is NULL");
    cairn_status status = cairn_frames_choose(recording, choice, &frame, &frames);
    size_t size = strlen(path) + 32;
    char *part = status == CAIRN_OK ? cairn_alloc(context, size, 1) : NULL;
    if (part == NULL) {
        cairn_free(context, frame);
        return status == CAIRN_OK ? CAIRN_ERROR_MEMORY : status;
    }
    snprintf(part, size, "%s.part-%ld", path, (long)getpid());
    writer w = {0};
    H5E_BEGIN_TRY {
        w.file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        w.bad = w.file < 0;
        if (!w.bad) {
            status = write_all(recording, frames, frame, &w);
            w.bad = H5Fclose(w.file) < 0 || w.bad;
        }
    }
    H5E_END_TRY
    bool good = status == CAIRN_OK && !w.bad && rename(part, path) == 0;
    if (!good)
        unlink(part);
    if (!good && status == CAIRN_OK)
        status = cairn_fail(context, CAIRN_ERROR_IO, "%s: cannot be written", path);
    cairn_free(context, part);
    cairn_free(context, frame);
    return status;
}
