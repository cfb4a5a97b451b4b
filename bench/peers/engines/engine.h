/*
 * engine.h: what an engine offers to the race. Each engine is a module (engine_NAME.so) with one function, engine_table, that lists its
 * configurations; a module that is not there is an engine that was not installed.
 */
#ifndef CAIRN_ENGINES_ENGINE_H
#define CAIRN_ENGINES_ENGINE_H

#include "setting.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an engine says of its own steps; zero where it says nothing. */
typedef struct engine_word {
    int contacts;
    int certified; /* steps so far that were certified; -1: the engine has no certificates */
    bool broken;   /* it says itself that this run is lost */
    double worst;  /* largest error of a step, m/s */
    double clock;  /* seconds of the last step, where the engine runs in another process; 0: the race's own clock */
    double collide, assemble, solve; /* seconds of the last step */
} engine_word;

typedef struct engine {
    const char *name;   /* "Bullet SI 100" */
    const char *scenes; /* names of scenes it takes part in, with spaces around each */
    int code;           /* for the module's own use */
    void *(*create)(const struct engine *engine, const setting *s); /* NULL: it cannot hold this scene */
    bool (*step)(void *run);                                        /* false: the engine gave up */
    void (*pose)(void *run, int body, cairn_pose *pose);            /* of the centre of mass */
    void (*word)(void *run, engine_word *word);                     /* NULL: says nothing */
} engine;

/* The module's configurations; *words is its name and version. */
typedef const engine *(*engine_table_function)(int *count, const char **words);
const engine *engine_table(int *count, const char **words);

#ifdef __cplusplus
}
#endif
#endif
