/*
 * sample.h: how samples are put together: rigid bodies, contacts and joints in, one problem out.
 */
#ifndef CAIRN_SAMPLES_SAMPLE_H
#define CAIRN_SAMPLES_SAMPLE_H

#include <cairn/samples.h>

#include "problem/problem_data.h"

#define CAIRN_GROUND (-1) /* the body that does not move */

typedef struct cairn_sample_body {
    double place[3];    /* centre of mass, m */
    double turn;        /* about z, body frame to world, rad */
    double mass;        /* kg */
    double inertia[3];  /* principal moments in the body frame, kg m^2 */
    double velocity[3]; /* before the step, m/s */
    double force[3];    /* beside gravity, N */
} cairn_sample_body;

/* A contact (cone of three rows) or a spherical joint (bilateral of three rows) at one point. */
typedef struct cairn_sample_link {
    bool joint;
    int a, b;         /* bodies; a may be CAIRN_GROUND */
    double point[3];  /* world, m */
    double normal[3]; /* contact: from a to b, unit length */
    double gap;       /* contact: > 0 apart, m */
} cairn_sample_link;

/* Filled by one sample; arrays have room for what the sample asked of cairn_sample_begin. */
typedef struct cairn_sample_scene {
    cairn_context *context;
    const cairn_sample_def *def;
    int bodies, links, most_bodies, most_links;
    cairn_sample_body *body; /* most_bodies */
    cairn_sample_link *link; /* most_links; contacts before joints */
    double *gamma;           /* 3 most_links: the known answer, or NULL */
    double *u;               /* 3 most_links: likewise */
} cairn_sample_scene;

cairn_status cairn_sample_begin(cairn_sample_scene *scene, int bodies, int links, bool known);
void cairn_sample_end(cairn_sample_scene *scene); /* frees the arrays */
/* Each returns the index of the new body. Boxes are sizes (x, y, z) before the turn. */
int cairn_sample_sphere(cairn_sample_scene *scene, const double place[3], double mass, double radius);
int cairn_sample_box(cairn_sample_scene *scene, const double place[3], double turn, double mass, const double size[3]);
void cairn_sample_contact(cairn_sample_scene *scene, int a, int b, const double point[3], const double normal[3],
                          double gap);
/* Four contacts with normal z at the corners of a rectangle [x0, x1] x [y0, y1] at height z. */
void cairn_sample_face(cairn_sample_scene *scene, int a, int b, const double x[2], const double y[2], double z);
/* Two spheres, or a sphere and the floor z = 0 and walls x, y = 0 and = width; contacts up to
 * the gap margin * radius. */
void cairn_sample_touch_pair(cairn_sample_scene *scene, int a, int b, double margin);
void cairn_sample_touch_box(cairn_sample_scene *scene, int body, double width, double margin);
void cairn_sample_joint(cairn_sample_scene *scene, int a, int b, const double point[3]);
/* The scene as a problem, with def's law, mu, gravity and step. */
cairn_status cairn_sample_problem(const cairn_sample_scene *scene, cairn_problem **problem);

/* splitmix64: the same numbers on every machine. */
uint64_t cairn_sample_random(uint64_t *state);
double cairn_sample_unit(uint64_t *state);   /* [0, 1) */
double cairn_sample_signed(uint64_t *state); /* [-1, 1) */

/* Fills a scene, the known answer too where the sample has one. */
typedef cairn_status (*cairn_sample_builder)(cairn_sample_scene *scene);
cairn_status cairn_sample_stack(cairn_sample_scene *scene);
cairn_status cairn_sample_cairn(cairn_sample_scene *scene);
cairn_status cairn_sample_wall(cairn_sample_scene *scene);
cairn_status cairn_sample_box_on_four(cairn_sample_scene *scene);
cairn_status cairn_sample_spheres(cairn_sample_scene *scene);
cairn_status cairn_sample_pile(cairn_sample_scene *scene);
cairn_status cairn_sample_chain(cairn_sample_scene *scene);

/* The one sample that is no scene. problem NULL: only the known answer (m rows) is wanted;
 * gamma, u may be NULL. */
cairn_status cairn_sample_manufactured(cairn_context *context, const cairn_sample_def *def, cairn_problem **problem,
                                       int m, double *gamma, double *u);

#endif
