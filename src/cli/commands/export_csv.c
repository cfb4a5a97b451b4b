/*
 * export_csv.c: a recording as tables that any spreadsheet opens.
 *
 *     bodies.csv, joints.csv, shapes.csv       what there is
 *     frames.csv                               a row per frame: energies, certificate, counts, times
 *     poses.csv, contacts.csv, reactions.csv   a row per body, contact or joint and frame, each with
 *                                              its time and names
 *     parts.csv, elements.csv, nodes.csv       flexible parts, when there are any: what they are
 *                                              made of; a row per node and frame
 */
#define _POSIX_C_SOURCE 200809L

#include "cli/pictures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES, POSES, CONTACTS, REACTIONS, NODES, PARTS, ELEMENTS, BODIES, JOINTS, SHAPES, TABLES };

/* All tables are written first and put in their places together, when every one is whole. */
typedef struct tables {
    cairn_context *context;
    const char *folder;
    const cairn_recording *recording;
    char path[TABLES][4096];
    cli_output out[TABLES];
} tables;

/* Frames that are wanted. Works and uncertified steps of those between two are added to the next
 * one. */
typedef struct selection {
    const cairn_frame_choice *choice;
    int64_t inside; /* frames in the range so far */
    cairn_frame sums;
} selection;

static bool is_taken(selection *s, cairn_frame *f) {
    double slack = 1e-9 * fmax(1.0, fabs(f->time)),
           *sum[] = {&s->sums.friction_work, &s->sums.impact_work, &s->sums.created_work, &s->sums.joint_work,
                     &s->sums.load_work};
    double *own[] = {&f->friction_work, &f->impact_work, &f->created_work, &f->joint_work, &f->load_work};
    if (f->time < s->choice->from - slack || f->time > s->choice->to + slack)
        return false;
    bool taken = s->inside++ % s->choice->every == 0;
    for (int i = 0; i < 5; i++) {
        *sum[i] += *own[i];
        *own[i] = *sum[i];
    }
    s->sums.uncertified += f->uncertified;
    f->uncertified = s->sums.uncertified;
    if (taken)
        s->sums = (cairn_frame){0};
    return taken;
}

/* NULL after a message. */
static FILE *open_table(tables *t, int table, const char *name, const char *head) {
    snprintf(t->path[table], sizeof t->path[table], "%s/%s", t->folder, name);
    if (cli_output_open(t->context, t->path[table], &t->out[table]) != CLI_GO)
        return NULL;
    fprintf(t->out[table].stream, "%s\n", head);
    return t->out[table].stream;
}

static bool close_tables(tables *t, bool good) {
    for (int i = 0; i < TABLES && good; i++)
        if (t->out[i].stream != NULL && !cli_output_good(&t->out[i])) {
            cli_complain("%s: cannot be written: %s", t->path[i], strerror(errno));
            good = false;
        }
    for (int i = 0; i < TABLES; i++)
        good = cli_output_close(t->context, &t->out[i], good) == CLI_GO && good;
    return good;
}

/* Seventeen digits keep the bits; what does not exist is empty. */
static void put_reals(FILE *out, int count, const double *x) {
    for (int i = 0; i < count; i++)
        if (isfinite(x[i]))
            fprintf(out, ",%.17g", x[i]);
        else
            fputc(',', out);
}

static bool write_bodies(tables *t, const cairn_recording *recording) {
    FILE *out = open_table(t, BODIES, "bodies.csv", "body,name,kind,shape,mass,center_x,center_y,center_z");
    static const char *const kind[] = {"dynamic", "fixed", "kinematic"};
    cairn_recorded_body body;
    for (int i = 0; out != NULL && cairn_recording_body(recording, i, &body) == CAIRN_OK; i++) {
        fprintf(out, "%d,", i);
        cli_csv_text(out, body.name);
        fprintf(out, ",%s,%d", kind[body.kind], body.shape);
        put_reals(out, 1, &body.mass);
        put_reals(out, 3, body.center);
        fputc('\n', out);
    }
    return out != NULL;
}

static const char *kind_of_joint(int kind) {
    static const char *const name[] = {"fixed",          "spherical", "revolute", "prismatic",
                                       "cylindrical",    "universal", "distance", "point_on_line",
                                       "point_on_plane", "free",      "gear"};
    return kind >= 0 && kind < (int)(sizeof name / sizeof *name) ? name[kind] : "";
}

static void put_body_name(FILE *out, const cairn_recording *recording, int body) {
    cairn_recorded_body found;
    fputc(',', out);
    if (cairn_recording_body(recording, body, &found) == CAIRN_OK)
        cli_csv_text(out, found.name);
}

/* The number and the name of a body; -1 is the world, whose name is empty. */
static void put_body(FILE *out, const cairn_recording *recording, int body) {
    fprintf(out, ",%d", body);
    put_body_name(out, recording, body);
}

static bool write_joints(tables *t, const cairn_recording *recording) {
    FILE *out = open_table(t, JOINTS, "joints.csv", "joint,name,kind,a,a_name,b,b_name");
    cairn_recorded_joint joint;
    for (int i = 0; out != NULL && cairn_recording_joint(recording, i, &joint) == CAIRN_OK; i++) {
        fprintf(out, "%d,", i);
        cli_csv_text(out, joint.name);
        fprintf(out, ",%s", kind_of_joint((int)joint.kind));
        put_body(out, recording, joint.a);
        put_body(out, recording, joint.b);
        fputc('\n', out);
    }
    return out != NULL;
}

static bool write_shapes(tables *t, const cairn_recording *recording) {
    FILE *out = open_table(t, SHAPES, "shapes.csv", "shape,kind,size_1,size_2,size_3,points,triangles,children");
    cairn_recorded_shape shape;
    for (int i = 0; out != NULL && cairn_recording_shape(recording, i, &shape) == CAIRN_OK; i++) {
        fprintf(out, "%d,%s", i, cairn_shape_kind_name(shape.kind));
        put_reals(out, 3, shape.size);
        fprintf(out, ",%d,%d,%d\n", shape.points, shape.triangles, shape.children);
    }
    return out != NULL;
}

static bool open_tables(tables *t) {
    FILE *frames = open_table(
        t, FRAMES, "frames.csv",
        "step,time,kinetic,potential,elastic,friction_work,impact_work,created_work,joint_work,load_"
        "work,error,error_angular,error_rms,"
        "natural_map,deepest,seconds_collide,seconds_assemble,seconds_solve,"
        "seconds_total,certified,uncertified,outcome,contacts,rows,solves,projections,missed,"
        "iterations,factorizations,linear_solves,note,partial_factorizations,depth,depth_tolerance,apart,fallbacks,"
        "inverted");
    return frames != NULL &&
           open_table(t, POSES, "poses.csv",
                      "step,time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,angular_x,angular_y,angular_z") != NULL &&
           open_table(t, CONTACTS, "contacts.csv",
                      "step,time,a,a_name,b,b_name,status,x,y,z,nx,ny,nz,px,py,pz,gap,mu,residual") != NULL &&
           open_table(t, REACTIONS, "reactions.csv",
                      "step,time,joint,name,coordinate,drive,gap,force_x,force_y,force_z,torque_x,torque_y,torque_z") !=
               NULL;
}

static void write_report(FILE *out, const cairn_frame *f) {
    const double real[] = {f->time,          f->kinetic,      f->potential,       f->elastic,
                           f->friction_work, f->impact_work,  f->created_work,    f->joint_work,
                           f->load_work,     f->error,        f->error_angular,   f->error_rms,
                           f->natural_map,   f->deepest,      f->seconds_collide, f->seconds_assemble,
                           f->seconds_solve, f->seconds_total};
    fprintf(out, "%lld", (long long)f->step);
    put_reals(out, sizeof real / sizeof *real, real);
    fprintf(out, ",%d,%d,%s,%d,%d,%d,%d,%d,%d,%d,%d,", f->certified, f->uncertified, cairn_outcome_name(f->outcome),
            f->contacts, f->rows, f->solves, f->projections, f->missed, f->iterations, f->factorizations,
            f->linear_solves);
    cli_csv_text(out, f->note);
    const double depth[] = {f->depth, f->depth_tolerance};
    fprintf(out, ",%d", f->partial_factorizations);
    put_reals(out, 2, depth);
    fprintf(out, ",%d,%d,%d\n", f->apart, f->fallbacks, f->inverted);
}

/* The step and its time, which begin a row. */
static void put_step(FILE *out, const cairn_frame *f) {
    fprintf(out, "%lld", (long long)f->step);
    put_reals(out, 1, &f->time);
}

static void write_frame(const tables *t, const cairn_frame *f) {
    FILE *poses = t->out[POSES].stream, *contacts = t->out[CONTACTS].stream, *reactions = t->out[REACTIONS].stream;
    static const char *const status[] = {"open", "stick", "slip", "crush"};
    write_report(t->out[FRAMES].stream, f);
    for (int i = 0; i < f->bodies; i++) {
        if (isnan(f->position[3 * i]))
            continue; /* not there in this frame */
        put_step(poses, f);
        put_body(poses, t->recording, i);
        put_reals(poses, 3, f->position + 3 * i);
        put_reals(poses, 4, f->rotation + 4 * i);
        put_reals(poses, 3, f->velocity + 3 * i);
        put_reals(poses, 3, f->angular_velocity + 3 * i);
        fputc('\n', poses);
    }
    for (int i = 0; i < f->contacts; i++) {
        put_step(contacts, f);
        put_body(contacts, t->recording, f->contact_body[2 * i]);
        put_body(contacts, t->recording, f->contact_body[2 * i + 1]);
        fprintf(contacts, ",%s", status[f->contact_status[i] % 4]);
        put_reals(contacts, 3, f->contact_point + 3 * i);
        put_reals(contacts, 3, f->contact_normal + 3 * i);
        put_reals(contacts, 3, f->contact_impulse + 3 * i);
        put_reals(contacts, 1, f->contact_gap + i);
        put_reals(contacts, 1, f->contact_mu + i);
        put_reals(contacts, 1, f->contact_residual + i);
        fputc('\n', contacts);
    }
    for (int i = 0; i < f->joints; i++) {
        if (isnan(f->joint_coordinate[i]))
            continue;
        cairn_recorded_joint joint;
        put_step(reactions, f);
        fprintf(reactions, ",%d,", i);
        if (cairn_recording_joint(t->recording, i, &joint) == CAIRN_OK)
            cli_csv_text(reactions, joint.name);
        put_reals(reactions, 1, f->joint_coordinate + i);
        put_reals(reactions, 1, f->joint_drive + i);
        put_reals(reactions, 1, f->joint_gap + i);
        put_reals(reactions, 3, f->joint_force + 3 * i);
        put_reals(reactions, 3, f->joint_torque + 3 * i);
        fputc('\n', reactions);
    }
}

/* Nodes of flexible parts, in a table that is there only when there are parts. */
static cairn_status write_nodes(tables *t, cairn_recording *recording, const cairn_frame_choice *choice, bool *good) {
    cairn_recording_info info = cairn_recording_get(recording);
    if (info.parts == 0)
        return CAIRN_OK;
    FILE *out = open_table(t, NODES, "nodes.csv",
                           "step,time,node,x,y,z,vx,vy,vz,mises,reaction_x,reaction_y,reaction_z");
    cairn_status status = CAIRN_OK;
    selection s = {.choice = choice};
    for (int64_t k = 0; out != NULL && k < info.frames && status == CAIRN_OK; k++) {
        cairn_frame f;
        status = cairn_recording_frame(recording, k, &f);
        bool taken = status == CAIRN_OK && is_taken(&s, &f);
        for (int i = 0; taken && i < f.nodes; i++) {
            if (isnan(f.node_position[3 * i]))
                continue;
            const double none[] = {NAN, NAN, NAN};
            put_step(out, &f);
            fprintf(out, ",%d", i);
            put_reals(out, 3, f.node_position + 3 * i);
            put_reals(out, 3, f.node_velocity + 3 * i);
            put_reals(out, 1, f.node_mises != NULL ? f.node_mises + i : none);
            put_reals(out, 3, f.node_reaction != NULL ? f.node_reaction + 3 * i : none);
            fputc('\n', out);
        }
    }
    *good = out != NULL && *good;
    return status;
}

/* Flexible parts and their elements. Nodes are numbered from 0 over all parts, as in nodes.csv. */
static bool write_parts(tables *t, cairn_recording *recording) {
    static const char *const kind[] = {"tet4", "tet10", "hex8", "beam2"};
    int parts = cairn_recording_get(recording).parts;
    if (parts == 0)
        return true;
    FILE *list = open_table(t, PARTS, "parts.csv", "part,body,node_first,nodes,elements");
    FILE *out = open_table(t, ELEMENTS, "elements.csv",
                           "part,element,kind,node_1,node_2,node_3,node_4,node_5,node_6,node_7,node_8,node_9,node_10");
    for (int i = 0; list != NULL && out != NULL && i < parts; i++) {
        cairn_recorded_part part;
        if (cairn_recording_part(recording, i, &part) != CAIRN_OK)
            continue;
        fprintf(list, "%d,%d,%lld,%d,%d\n", i, part.body, (long long)part.first, part.nodes, part.elements);
        for (int e = 0; e < part.elements; e++) {
            const int *node = part.element + (ptrdiff_t)CAIRN_ELEMENT_NODES * e;
            fprintf(out, "%d,%d,%s", i, e, kind[part.kind[e]]);
            for (int k = 0; k < CAIRN_ELEMENT_NODES; k++)
                if (node[k] >= 0)
                    fprintf(out, ",%lld", (long long)part.first + node[k]);
                else
                    fputc(',', out);
            fputc('\n', out);
        }
    }
    return list != NULL && out != NULL;
}

static cairn_status write_tables(tables *t, cairn_recording *recording, const cairn_frame_choice *choice, bool *good,
                                 int64_t *written) {
    int64_t frames = cairn_recording_get(recording).frames;
    cairn_status status = CAIRN_OK;
    *good = open_tables(t);
    selection s = {.choice = choice};
    for (int64_t k = 0; *good && k < frames && status == CAIRN_OK; k++) {
        cairn_frame frame;
        status = cairn_recording_frame(recording, k, &frame);
        if (status == CAIRN_OK && is_taken(&s, &frame)) {
            write_frame(t, &frame);
            ++*written;
        }
    }
    if (status == CAIRN_OK && *good && *written == 0)
        status = CAIRN_ERROR_ARGUMENT;
    if (status == CAIRN_OK && *good)
        status = write_nodes(t, recording, choice, good);
    if (status == CAIRN_OK)
        *good = *good && write_parts(t, recording) && write_bodies(t, recording) && write_joints(t, recording) &&
                write_shapes(t, recording);
    return status;
}

int export_csv(cairn_context *context, const char *path, cairn_recording *recording, const cairn_frame_choice *choice,
               const char *folder) {
    bool made = false, good = false;
    int64_t written = 0;
    int code = cli_make_folder(folder, &made);
    if (code != CLI_GO)
        return code;
    tables *t = calloc(1, sizeof *t);
    if (t == NULL)
        return cli_report_text(folder, CAIRN_ERROR_MEMORY, false, "out of memory");
    t->context = context;
    t->folder = folder;
    t->recording = recording;
    cairn_recording_info info = cairn_recording_get(recording);
    cairn_status status = write_tables(t, recording, choice, &good, &written);
    good = close_tables(t, good && status == CAIRN_OK);
    free(t);
    if (!good && made)
        rmdir(folder);
    if (status == CAIRN_ERROR_ARGUMENT && written == 0)
        return cli_report_text(path, status, false, "%s: no frame of %lld lies from %g s to %g s", path,
                               (long long)info.frames, choice->from, choice->to);
    if (status != CAIRN_OK)
        return cli_report(context, path, status, false);
    if (!good)
        return cli_report_text(folder, CAIRN_ERROR_IO, false, "%s: the tables could not be written", folder);
    printf("%s: %lld frames, %d bodies, %d joints, %d shapes as CSV in %s%s\n", path, (long long)written, info.bodies,
           info.joints, info.shapes, folder,
           info.live ? "; the run is still going on, its newest frames are not in" : "");
    return CLI_OK;
}
