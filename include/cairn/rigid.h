/*
 * rigid.h: names of bodies and joints, and what a joint is made from.
 *
 * Units are SI, angles radians. Frames are poses in world axes; the axis of a joint is z of its frame.
 */
#ifndef CAIRN_RIGID_H
#define CAIRN_RIGID_H

#include "base.h"
#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* By value; all zero: none (for a joint: the world itself). A name of something removed is never given again. */
typedef struct cairn_body {
    uint32_t slot, generation;
} cairn_body;
typedef struct cairn_joint {
    uint32_t slot, generation;
} cairn_joint;

/* A joint is rows of the step's problem, nothing more. Each has a frame on either body; when it is made both frames are one, unless frame_b
 * says otherwise. The axis is z. Redundant joints are allowed. */
typedef enum cairn_joint_kind {
    CAIRN_JOINT_FIXED = 0,      /* no motion */
    CAIRN_JOINT_SPHERICAL,      /* the origins stay together */
    CAIRN_JOINT_REVOLUTE,       /* turns about z */
    CAIRN_JOINT_PRISMATIC,      /* slides along z */
    CAIRN_JOINT_CYLINDRICAL,    /* turns about z and slides along it */
    CAIRN_JOINT_UNIVERSAL,      /* origins together, z of a and x of b stay at a right angle */
    CAIRN_JOINT_DISTANCE,       /* the origins keep their distance */
    CAIRN_JOINT_POINT_ON_LINE,  /* origin of b on the z axis of a */
    CAIRN_JOINT_POINT_ON_PLANE, /* origin of b in the plane z = 0 of a */
    CAIRN_JOINT_FREE,           /* no rows of its own: for springs, motors and limits along z or between two points */
    CAIRN_JOINT_GEAR            /* way of a + ratio * way of b = 0, each about (or along) its own axis, see ratio */
} cairn_joint_kind;

/* What a drive acts on. */
typedef enum cairn_coordinate {
    CAIRN_COORDINATE_NONE = 0,
    CAIRN_COORDINATE_TURN, /* angle about z of a, from x of a to x of b, rad; counted over full turns. Where b may tilt (spherical, free and distance joints,
                                 points on lines and planes) the twist: what is left of its turn when z of b is brought back to z of a on the shortest way */
    CAIRN_COORDINATE_SLIDE,   /* z coordinate of b's origin in a's frame, m */
    CAIRN_COORDINATE_DISTANCE /* of the origins, m */
} cairn_coordinate;

typedef struct cairn_joint_def {
    uint32_t cookie;
    cairn_joint_kind kind;
    cairn_body a, b;             /* all zero: the world itself */
    cairn_pose frame;            /* world pose of the joint's frame on a, and on b unless has_frame_b */
    bool has_frame_b;            /* default false */
    cairn_pose frame_b;          /* world pose of b's frame */
    cairn_coordinate coordinate; /* what limits, motor, spring, friction and motion act on; default NONE */
    bool limited;                /* low <= coordinate <= high */
    double low, high;            /* rad or m; either may be infinite */
    bool motor;                  /* drives the coordinate with speed as long as limit allows */
    double speed;                /* rad/s or m/s */
    double motor_limit;          /* largest torque or force, N m or N */
    double stiffness;            /* spring towards rest, N m/rad or N/m; default 0 */
    double damping;              /* N m s/rad or N s/m; default 0; implicit like the spring */
    double rest;                 /* rad or m */
    double friction;             /* dry friction of the coordinate: largest torque or force; default 0 */
    double (*motion)(void *user, double time); /* imposed coordinate; NULL: free. Must be a pure function */
    void *motion_user;
    double
        ratio; /* of a gear; default 1: two equal wheels that turn against each other. The way of a is its turn about z of frame, that of b
                     its turn about z of frame_b, since the joint was made; other joints must hold the axes where the frames are. Belt: negative. Rack b on a
                     wheel a of radius r: -1/r and slide_b */
    cairn_body
        carrier; /* of a gear: the body that carries both axes; ways are against it. Default: the world, in which the axes then stay */
    bool slide_a, slide_b; /* the way of a gear's side is along z, m; default false: a turn */
    double compliance;     /* of the joint's own rows, m/N or rad/(N m); default 0 */
    bool
        collide; /* its two bodies touch each other as others do; default false. Free and distance joints never keep bodies from touching */
} cairn_joint_def;

CAIRN_API cairn_joint_def cairn_default_joint_def(void);

#ifdef __cplusplus
}
#endif
#endif
