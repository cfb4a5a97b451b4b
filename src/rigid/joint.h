/*
 * joint.h: the rows that a joint writes.
 */
#ifndef CAIRN_RIGID_JOINT_H
#define CAIRN_RIGID_JOINT_H

#include "rigid/body.h"

#include <cairn/rigid.h>

#define CAIRN_JOINT_ROWS   12
#define CAIRN_JOINT_BLOCKS 6

typedef struct cairn_joint_data {
    cairn_joint_def def;   /* bodies and frames in it are those of the call */
    int a, b;              /* slots; 0: the world */
    int carrier;           /* slot of a gear's carrier; 0: the world */
    cairn_pose at_a, at_b; /* frames from the bodies' centres of mass, body axes */
    cairn_pose in_a, in_b; /* the same frames from the carrier's centre of mass: where the axes of a gear stay */
    double length;         /* distance joint */
    double coordinate;     /* when the last step ended; turns are counted on */
    double gamma[CAIRN_JOINT_ROWS]; /* of the last step: the next one's guess */
    cairn_vec3 force, torque;       /* on b at its frame's origin, of the last step */
    double drive, gap;
} cairn_joint_data;

/* One row: parts of a, of b and of a gear's carrier (velocity in world axes, spin in body axes), u = a'v_a + b'v_b + c'v_c + bias + C gamma. */
typedef struct cairn_joint_row {
    double a[6], b[6], c[6], bias, C;
    double gap;   /* position error, m or rad */
    double drive; /* +1, -1: along the coordinate or against it; 0: holds the bodies together */
    bool turn;    /* gap and bias are of a turn, rad and rad/s, not of a way, m and m/s */
    bool placed;  /* bias is a position error over h: it shall be 0 (or not negative) where the step ends */
} cairn_joint_row;

typedef struct cairn_joint_rows {
    int rows, blocks;
    cairn_joint_row row[CAIRN_JOINT_ROWS];
    cairn_block block[CAIRN_JOINT_BLOCKS];
} cairn_joint_rows;

/* The bodies of a joint, of which x and q are read. carrier is read for gears alone. */
typedef struct cairn_joint_ends {
    const cairn_rigid *a, *b, *carrier;
} cairn_joint_ends;

/* All rows of joint j for a step of length h that begins at time t with these bodies. */
void cairn_joint_write(const cairn_joint_data *j, cairn_joint_ends ends, double t, double h, cairn_joint_rows *out);

/* The same without the parts of the bodies, which are zero: what is asked where only gaps count. */
void cairn_joint_write_gaps(const cairn_joint_data *j, cairn_joint_ends ends, double t, double h,
                            cairn_joint_rows *out);

/* The coordinate for these poses; a turn is the one nearest to `near`. */
double cairn_joint_coordinate(const cairn_joint_data *j, cairn_joint_ends ends, double near);

#endif
