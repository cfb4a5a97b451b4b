/*
 * random_campaign.h: many random worlds, each in a process of its own, and what was found; and the reducer.
 */
#ifndef CAIRN_RANDOM_CAMPAIGN_H
#define CAIRN_RANDOM_CAMPAIGN_H

#include "random_judge.h"
#include "random_scene.h"

typedef struct random_campaign {
    uint64_t first, count; /* seeds first to first + count - 1 */
    int kind;              /* of them only this class; -1: all */
    int jobs;              /* processes side by side */
    int limit;             /* s of processor time that a world may take; 20 times that by the clock */
    const char *log;       /* one line a world; worlds that are in it are not run again. NULL: none */
    const char *folder;    /* for recordings */
    bool quiet;            /* no progress */
    void (*each)(void *user, uint64_t seed, const random_result *result); /* after each world, NULL: none */
    void *user;
} random_campaign;

/* Runs the worlds, then prints the table. false: memory, files, processes; said on stderr. */
bool random_campaign_run(const random_campaign *campaign);

/* In a process of its own. false: no process could be made. */
bool random_apart(const char *text, size_t size, const char *folder, int limit, random_result *result);

/* The smallest scene that shows the finding (FOUND_...; -1: the first one that it has) to text. false: it has none. */
bool random_reduce(random_scene *scene, int kind, const char *folder, int limit, random_text *text);

/* "deep:3@17 0.4", one for each kind that was found. */
void random_found_print(const random_result *result, random_text *text);

#endif
