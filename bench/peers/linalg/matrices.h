/*
 * matrices.h: scenes as matrices H, D, and the two linear systems that a step of ADMM or of an interior point factors:
 *
 *     K = [ H   D      ]      S = [ H + D_c Theta_c^-1 D_c'   D_b      ]
 *         [ D'  -Theta ]          [ D_b'                      -Theta_b ]
 *
 * c: contacts, eliminated in S; b: bilaterals (joints), which stay [theory 2].
 */
#ifndef CAIRN_PEERS_MATRICES_H
#define CAIRN_PEERS_MATRICES_H

#include "sparse.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct scene {
    char name[32];
    sparse H;         /* n x n, both triangles */
    sparse D;         /* n x m, joints' columns first */
    int bodies;       /* blocks of H */
    int *body_start;  /* bodies + 1 */
    int blocks;       /* blocks of rows */
    int *block_start; /* blocks + 1 */
    int joints;       /* the first so many blocks are bilateral */
} scene;

/* Names: wall, pile4k, pile16k, bars, robot, chain; "stack" reads an FCLIB file. False: no such scene, or no file. */
bool scene_make(const char *name, const char *fclib, scene *out);
void scene_clear(scene *s);

/* Used by the generators. Random numbers in [0, 1), and normal ones. */
typedef struct bench_random {
    uint64_t state;
} bench_random;
double random_uniform(bench_random *random);
double random_normal(bench_random *random);

scene scene_wall(void);
scene scene_pile(int count);
scene scene_bars(double young);
scene scene_robot(void);
scene scene_chain(int links);

/* A symmetric system, ready for every solver. */
typedef struct linear_system {
    sparse A; /* both triangles */
    int groups;
    int *group_start;  /* groups + 1: rows that belong together */
    signed char *sign; /* of the pivots */
    bool definite;     /* all signs +1 */
} linear_system;

/* Theta_i = n_i for contacts and 1e-9 n_i for joints, n_i the mean diagonal of the block of D'diag(H)^-1 D. */
linear_system system_full(const scene *s);
linear_system system_reduced(const scene *s);
void system_clear(linear_system *a);

#endif
