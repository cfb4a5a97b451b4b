/*
 * run.h: what `cairn run` knows: its request, its sums, and the hook that sees every step.
 */
#ifndef CAIRN_CLI_RUN_RUN_H
#define CAIRN_CLI_RUN_RUN_H

#include "cli/pictures.h"

enum { RUN_LISTED = 20 }; /* uncertified steps that the summary names */

typedef struct run_request {
    const char *scene; /* as given: a file or the name of one that ships */
    double until, step, tolerance;
    const char *method, *law, *dump_failed, *dump_folder;
    const char *out, *checkpoint, *resume; /* NULL: none */
    const char *html;                      /* the replay page; NULL: none */
    int every;                             /* steps to a frame of out */
    int give_up;                           /* uncertified steps in a row that end the run; 0: none */
    int dump_step, threads;
    bool json, quiet, stress;
    cli_list options, sets;
} run_request;

typedef struct run_state {
    const run_request *request;
    cairn_context *context;
    cairn_scene *scene;
    cairn_scene_info info;
    const char *name;     /* of the scene, for lines and files */
    int64_t steps;        /* to be done */
    cairn_record *record; /* NULL: nothing is recorded */
    /* its file: that of --out, or one beside the page of --html that is removed when it is
     * written */
    char recording[4096];
    int64_t frames; /* in it, of this run */
    view_folding folding;
    double begin, spent; /* wall clock: when it began, how long it took */
    bool stopped;        /* before all steps were done: by a signal, or because something failed */
    bool gave_up;        /* --give-up steps in a row were not certified */
    bool undumped;       /* a step's problem was wanted and could not be written; the run goes on */

    /* sums over the steps done */
    int64_t done, uncertified, in_row, listed[RUN_LISTED]; /* in_row: uncertified ones up to the last */
    double contacts, iterations, factorizations, partial_factorizations, solves, missed, projections;
    int most_contacts;
    double collide, assemble, solve, total;
    double worst_error, worst_angular, deepest;
    int64_t open;            /* steps whose joints stayed open */
    double worst_gap;        /* of joints, m or rad */
    bool worst_turns;        /* rad */
    const char *worst_joint; /* its name; NULL: none has a gap */
    int64_t worst_step;      /* and the step */
    int64_t overlapping;     /* steps that left bodies deeper in each other than their tolerance */
    int64_t passed;          /* steps that missed contacts */
    int64_t fallen;          /* steps with fall-backs */
    int64_t crushed;         /* steps with elements that are inside out */
    int most_inverted;       /* of a step */
    cairn_body crushed_part; /* of that step */
    cairn_step_report deep;  /* of the step whose depth is the largest part of its tolerance; step 0: none */
    double start_time;
    cairn_redundancy redundancy;    /* of the joints when the run began */
    cairn_redundant_row *redundant; /* which rows; NULL: not looked for */
    cairn_energy start, work;       /* when the run began; sums of works */
    double turned;                  /* energy that went from one form to another, J */
    int64_t opposed;                /* steps in which motors worked against each other */
    cairn_joint opposed_first[2];   /* the first such pair */
    cairn_step_report last;

    bool terminal, shown; /* progress */
    double next;          /* wall clock at which the next line is due */
} run_state;

/* After each step, in the order of the steps: sums, dumps, progress. Returns CLI_GO, or an exit
 * code that ends the run. */
int run_on_step(run_state *run, const cairn_step_report *report);

/* The step's problem as an FCLIB file in a folder; a failure is reported on standard error. */
bool run_dump(run_state *run, const char *folder, int64_t step);

/* ---- run_record.c ---- each returns CLI_GO, or CLI_BAD_FILE after a message */

/* Puts the world back to the checkpoint of --resume and begins the recording of --out. */
int run_record_begin(run_state *run);
/* After each step: a frame, and from time to time a checkpoint. */
int run_record_step(run_state *run, const cairn_step_report *report);
/* The last checkpoint, and the recording closed; also after a failure. */
int run_record_end(run_state *run);
/* The replay page of --html, after the end, of as much as there is. */
int run_record_page(run_state *run);
/* Removes the recording that only the page needed. */
void run_record_clear(run_state *run);

/* ---- run_joints.c ---- */
void run_find_redundancy(run_state *run);
void run_print_redundancy(const run_state *run); /* a line, where there is any */
void run_json_redundancy(cli_json *json, const run_state *run);

void run_print_opposed(const run_state *run); /* motors that worked against each other */

/* ---- run_energy.c ---- */
void run_count_energy(run_state *run, const cairn_energy *now); /* before run->last is replaced */
void run_print_energy(const run_state *run);
/* What the works do not explain: the time stepping's own part. */
double run_unexplained(const run_state *run);
double run_energy_of(const cairn_energy *e); /* kinetic, potential and elastic */

/* ---- run_report.c ---- */
void run_progress(run_state *run);
void run_progress_clear(run_state *run);
void run_print_head(const run_state *run);
void run_print_step_json(const run_state *run, const cairn_step_report *report);
void run_print_summary(const run_state *run);
void run_print_summary_json(const run_state *run);

/* The scene's name of the joint with the largest gap of a step; NULL: there is none. */
const char *run_worst_joint(const run_state *run, const cairn_step_report *report);
/* That of a body; NULL: it is none of the scene's. */
const char *run_body_name(const run_state *run, cairn_body body);

double run_clock(void); /* monotonic, s */

#endif
