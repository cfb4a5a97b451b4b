/*
 * solve.c: islands solved, and their answers back to bodies, contacts and joints.
 *
 * The certificate of a step is the worst of its islands. Figures of the solvers add up.
 */
#include "../solve/light.h"
#include "../solve/passive.h"
#include "assemble.h"
#include "flex.h"
#include "rebound.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define USELESS    0.1 /* of the speed: velocities that are more wrong are no answer */
#define FAR        2.0 /* times the overlap, for every body of a row */
#define PART_LARGE 200 /* contacts from which overlaps are parted roughly, */
#define PART_HEAP  3.0 /* and from so many times the overlap that is allowed at most */

/* Answer to bodies, contacts and joints. */
static void take_answer(cairn_world *w, const cairn_island *island, const cairn_answer *answer) {
    const double *gamma = answer->gamma, *u = answer->u;
    for (int i = 0; i < island->bodies; i++) {
        int slot = island->body[i];
        const double *v = answer->v + w->number[slot];
        cairn_flex *f = w->slot[slot].flex;
        if (f != NULL) {
            memcpy(f->end_v, v, 3 * (size_t)f->part->vectors * sizeof *v);
            f->solved = true;
            continue;
        }
        w->end_v[slot] = cairn_vec3_of(v[0], v[1], v[2]);
        w->end_w[slot] = cairn_vec3_of(v[3], v[4], v[5]);
    }
    for (int i = 0; i < island->touches; i++) {
        cairn_touch *c = &w->now.item[island->touch[i]];
        c->solved = true;
        c->rho = island->info.rho > 0.0 ? island->info.rho : c->rho;
        c->error = answer->error != NULL ? answer->error[i] : 0.0;
        for (int k = 0; k < 3; k++) {
            c->gamma[k] = *gamma++;
            c->slip[k] = *u++;
        }
    }
    for (int i = 0; i < island->joints; i++) {
        cairn_joint_slot *j = &w->joint[island->joint[i]];
        for (int k = 0; k < j->rows.rows; k++)
            j->data.gamma[k] = *gamma++;
        u += j->rows.rows;
    }
    for (int i = 0; i < island->bodies; i++) {
        int rows = cairn_slot_own_rows(w, island->body[i]);
        cairn_fem_yield *y = rows > 0 ? w->slot[island->body[i]].flex->yield : NULL;
        for (int k = 0; k < rows; k++) {
            y->gamma[k] = *gamma++;
            y->u[k] = *u++;
        }
    }
}

/* Velocities of a rigid body without constraints. */
static void free_velocity(const cairn_world *w, int slot, cairn_vec3 *v, cairn_vec3 *spin) {
    const cairn_rigid *r = &w->rigid[slot];
    cairn_vec3 tau = cairn_quat_rotate(cairn_quat_conjugate(r->q), r->torque);
    *v = cairn_vec3_add_scaled(cairn_vec3_add_scaled(w->start_v[slot], w->h, w->def.gravity), w->h / r->mass, r->force);
    *spin = cairn_vec3_add_scaled(w->free_w[slot], w->h, cairn_mat3_solve(&r->inertia, tau));
}

/* Largest velocity of the island's bodies, when the step began or without constraints, spin times 1 m. */
static double fastest(const cairn_world *w, const cairn_island *island) {
    double most = 0.0;
    for (int i = 0; i < island->bodies; i++) {
        int at = island->body[i];
        if (w->slot[at].flex != NULL) {
            most = fmax(most, cairn_flex_speed(w->slot[at].flex));
            continue;
        }
        cairn_vec3 v, spin;
        free_velocity(w, at, &v, &spin);
        most = fmax(most, cairn_vec3_length(w->start_v[at]) + cairn_vec3_length(w->start_w[at]));
        most = fmax(most, cairn_vec3_length(v) + cairn_vec3_length(spin));
    }
    return most;
}

/* Deepest overlap of the island, m, and in units of what is left to velocities. */
static double deepest(const cairn_world *w, const cairn_island *island, double *by_allowed) {
    double least = 0.0;
    *by_allowed = 0.0;
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        least = fmin(least, c->gap);
        if (c->gap < 0.0)
            *by_allowed = fmax(*by_allowed, -c->gap / cairn_pair_allowed(w, c->a, c->b));
    }
    return -least;
}

/* Largest gap of the island's joints where positions are meant: gaps stand for biases then. */
static double widest(const cairn_world *w, const cairn_island *island) {
    double most = 0.0;
    for (int i = 0; i < island->joints; i++) {
        const cairn_joint_rows *rows = &w->joint[island->joint[i]].rows;
        for (int k = 0; k < rows->rows; k++)
            most = fmax(most, fabs(rows->row[k].bias));
    }
    return most;
}

/* Is it to be parted? Among the contacts of a heap one or another goes beyond what is allowed in almost every step, if only because
 * velocities may be wrong by the error that is granted: up to what that makes in a step they wait until a search and a solve are worth it. */
static bool is_deep(const cairn_world *w, cairn_island *island) {
    double by_allowed, error = w->h * w->def.tolerance_velocity;
    bool heap = island->touches >= PART_LARGE && island->joints == 0;
    island->speed = deepest(w, island, &by_allowed);
    if (widest(w, island) > CAIRN_JOINT_OPEN * w->def.tolerance_joint)
        return true;
    return by_allowed > 1.0 && !(heap && by_allowed <= PART_HEAP && island->speed <= error);
}

/* Nothing has come to this island since it was solved in this step. */
static bool is_solved(const cairn_world *w, const cairn_island *island) {
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        if (!c->solved || w->held[c->a].apart || w->held[c->b].apart)
            return false;
    }
    for (int i = 0; i < island->bodies; i++)
        if (w->slot[island->body[i]].flex != NULL && !w->slot[island->body[i]].flex->solved)
            return false;
    return island->joints == 0;
}

/* Nobody found a motion that meets the rows: joints against each other, or against a wall. */
static bool is_unsolved(const cairn_island *island) {
    const cairn_certificate *c = &island->info.certificate;
    return !c->certified &&
           (island->info.outcome == CAIRN_INFEASIBLE || !(fmax(c->error, c->error_angular) <= USELESS * island->speed));
}

/* The judge's figures against what the world asks for. */
static bool passed(const cairn_world *w, const cairn_island *island) {
    const cairn_certificate *c = &island->info.certificate;
    return c->certified && c->error <= w->def.tolerance_velocity;
}

/* Does the method's penalty have units, so that a first value for all problems does not exist? Those of padmm and the like are factors of
 * the effective masses: there the last step's value is a worse start than the settings' own. */
static bool carries_penalty(const cairn_world *w) {
    const char *name = w->def.solver.method;
    return strcmp(name, "admm") == 0 || strcmp(name, "fadmm") == 0 || strcmp(name, "primal-admm") == 0;
}

/* Geometric mean of the penalties with which its contacts were last solved; 0: none is known. */
static double last_penalty(const cairn_world *w, const cairn_island *island) {
    double sum = 0.0;
    int count = 0;
    if (!carries_penalty(w))
        return 0.0;
    for (int i = 0; i < island->touches; i++) {
        double rho = w->now.item[island->touch[i]].rho;
        sum += rho > 0.0 ? log(rho) : 0.0;
        count += rho > 0.0;
    }
    return count > 0 ? exp(sum / count) : 0.0;
}

/* Loads the problem and solves it with one of the lane's solvers. */
static cairn_status run_solver(cairn_lane *lane, int which, cairn_problem *problem, cairn_guess guess,
                               cairn_answer *answer, cairn_info *info) {
    cairn_solver *solver = lane->solver[which];
    cairn_status status = cairn_solver_load_light(solver, problem);
    if (status != CAIRN_OK)
        return status;
    lane->loaded[which] = problem;
    lane->stopped = false;
    status = cairn_solver_solve(solver, &guess, answer, info);
    /* An answer that was there when somebody said stop would have been made better: it is not the step's. */
    if (status == CAIRN_OK && (lane->stopped || info->outcome == CAIRN_CANCELLED))
        return cairn_fail(lane->context, CAIRN_ERROR_CANCELLED, "the step was stopped");
    return status;
}

/* Rows of contacts get what the bodies bring whose motion is given. */
static void write_given(const cairn_world *w, const cairn_island *island, double *given) {
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        const cairn_vec3 d[3] = {c->normal, c->tangent[0], c->tangent[1]};
        const int slot[2] = {c->a, c->b};
        for (int e = 0; e < 2; e++) {
            if (cairn_contact_number(w, slot[e]) >= 0 || cairn_touch_sides(c)[e].count > 0)
                continue;
            const cairn_rigid *r = &w->rigid[slot[e]];
            cairn_mat3 R = cairn_quat_matrix(r->q);
            double row[6], v[6];
            cairn_given_velocity(w, slot[e], v);
            for (int k = 0; k < 3; k++) {
                cairn_rigid_row(&R, cairn_vec3_sub(e == 0 ? c->on_a : c->on_b, r->x), d[k], e == 0 ? -1.0 : 1.0, row);
                for (int j = 0; j < 6; j++)
                    given[3 * i + k] += row[j] * v[j];
            }
        }
    }
}

/* The share of v with which no contact of the island closes further than its gap and its tolerance. */
static double held_back(const cairn_world *w, const cairn_island *island, const double *u, const double *given) {
    double share = 1.0;
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        double room = fmax(0.0, c->gap) + fmin(cairn_pair_tolerance(w, c->a, c->b), w->h),
               own = u[3 * i] - given[3 * i];
        double left = room + w->h * given[3 * i];
        if (!c->soft && own < 0.0 && left + w->h * own < 0.0)
            share = fmin(share, fmax(0.0, left / (-w->h * own)));
    }
    return share;
}

/* Nobody found a motion that meets the rows: one that cannot gain energy but from what drives it, and that keeps them as far as that goes (solve/passive.h). What is reported and kept is the
 * problem. */
static cairn_status fall_back(cairn_world *w, cairn_lane *lane, cairn_island *island) {
    size_t m = (size_t)island->m, n = (size_t)island->n;
    double *room = cairn_alloc(lane->context, 3 * m + n, sizeof *room), gain;
    if (room == NULL)
        return CAIRN_ERROR_MEMORY;
    double *given = room, *gamma = room + m, *u = room + 2 * m, *v = room + 3 * m;
    write_given(w, island, given);
    cairn_status status = cairn_passive_motion(island->problem, given, gamma, v, u, &gain);
    cairn_answer answer = {.v = v, .gamma = gamma, .u = u};
    double share = status == CAIRN_OK ? held_back(w, island, u, given) : 0.0;
    for (size_t j = 0; j < n; j++)
        v[j] *= share;
    for (size_t r = 0; r < m; r++)
        u[r] = given[r] + share * (u[r] - given[r]);
    if (status == CAIRN_OK)
        take_answer(w, island, &answer);
    island->fell_back = status == CAIRN_OK;
    cairn_free(lane->context, room);
    return status;
}

/* Do the displacements stay within what overlaps and gaps ask for? Bodies that are jammed would be thrown aside, along normals that rounding has turned. */
static bool is_near(const cairn_world *w, const cairn_island *island, const double *v) {
    double reach = 1.0, most = 0.0;
    for (int i = 0; i < island->bodies; i++) {
        int slot = island->body[i];
        const double *x = v + w->number[slot], r = w->slot[slot].reach;
        reach = fmax(reach, r);
        most = fmax(most, hypot(hypot(x[0], x[1]), x[2]) + r * hypot(hypot(x[3], x[4]), x[5]));
    }
    return most <= FAR * (island->bodies + 1.0) * (island->speed + reach * widest(w, island));
}

/* Bodies that nothing pushed stay what they were, bit for bit. */
static void move_apart(cairn_world *w, const cairn_island *island, const double *v) {
    for (int i = 0; i < island->bodies; i++) {
        int slot = island->body[i];
        const double *x = v + w->number[slot];
        if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0 && x[4] == 0.0 && x[5] == 0.0)
            continue;
        cairn_rigid_move(&w->rigid[slot], 1.0, cairn_vec3_of(x[0], x[1], x[2]), cairn_vec3_of(x[3], x[4], x[5]));
        w->stale[slot] = 1;
    }
}

/* Displacements that part the island. Overlaps in a large heap concern few of its bodies: sweeps find them, and what they leave is found by the next
 * search. */
static cairn_status part_island(cairn_lane *lane, cairn_island *island, cairn_answer *answer) {
    if (island->m >= PART_LARGE && island->joints == 0) {
        cairn_status status = run_solver(lane, CAIRN_LANE_ROUGHLY, island->problem, (cairn_guess){0}, answer,
                                         &island->info);
        if (status != CAIRN_OK || island->info.certificate.certified)
            return status;
    }
    return run_solver(lane, CAIRN_LANE_POSITIONS, island->problem, (cairn_guess){0}, answer, &island->info);
}

/* The island's problem. */
static cairn_status build(const cairn_world *w, cairn_lane *lane, cairn_island *island, cairn_builder *s) {
    if (cairn_island_is_plain(w, island))
        return cairn_island_write_plain(w, lane, island, s, &island->problem);
    cairn_status status = cairn_island_write(w, lane, island, s);
    return status == CAIRN_OK ? cairn_island_problem(w, lane, s, &island->problem) : status;
}

/* The work of solves before this one. */
static void add_info(cairn_info *info, const cairn_info *before) {
    info->iterations += before->iterations;
    info->factorizations += before->factorizations;
    info->partial_factorizations += before->partial_factorizations;
    info->solves += before->solves;
}

/* The island once more, with a share of its rebounds. */
static cairn_status solve_again(cairn_world *w, cairn_lane *lane, cairn_island *island, double share) {
    cairn_builder s = {.rebound = share};
    cairn_problem *old = island->problem;
    cairn_info before = island->info;
    cairn_answer answer;
    cairn_status status = build(w, lane, island, &s);
    if (status != CAIRN_OK) {
        island->problem = old;
        return status;
    }
    cairn_guess guess = {.gamma = s.guess, .v = s.v, .rho = last_penalty(w, island)};
    status = run_solver(lane, CAIRN_LANE_VELOCITIES, island->problem, guess, &answer, &island->info);
    if (lane->loaded[CAIRN_LANE_VELOCITIES] == old) { /* the new one was not even loaded */
        cairn_problem_destroy(island->problem);
        island->problem = old;
        return status;
    }
    cairn_problem_destroy(old);
    add_info(&island->info, &before);
    if (status == CAIRN_OK)
        take_answer(w, island, &answer);
    return status;
}

/* Rebounds that create energy are lowered until they do not (rebound.c). Where the rebounds are not to blame the whole ones are put back. */
static cairn_status ease_rebounds(cairn_world *w, cairn_lane *lane, cairn_island *island) {
    cairn_island_gain gain = cairn_island_gains(w, island);
    bool certified = island->info.certificate.certified;
    if (!(gain.rebounds > gain.allowed))
        return CAIRN_OK;
    cairn_status status = CAIRN_OK;
    cairn_rebound_search search = cairn_rebound_begin(gain.rebounds);
    do {
        status = solve_again(w, lane, island, search.share);
        if (status != CAIRN_OK)
            return status;
        gain = cairn_island_gains(w, island);
    } while (cairn_rebound_next(&search, gain.rebounds, gain.allowed,
                                !is_unsolved(island) && (island->info.certificate.certified || !certified)));
    island->rebound = search.share;
    return CAIRN_OK;
}

/* Builds, loads and solves; user: whether positions are meant. The old problem waits in the world until no solver holds it. Where joints do not let
 * bodies be parted nothing moves. */
static cairn_status solve_island(cairn_world *w, cairn_lane *lane, cairn_island *island, void *user) {
    cairn_builder s = {.positions = *(const bool *)user, .rebound = 1.0};
    if (s.positions) {
        island->skipped = !is_deep(w, island);
    } else {
        island->speed = fastest(w, island);
        island->skipped = is_solved(w, island);
    }
    island->info.certificate.certified = island->skipped;
    if (island->skipped)
        return CAIRN_OK;
    island->rebound = 1.0;
    island->fell_back = false;
    double begin = cairn_now();
    cairn_status status = build(w, lane, island, &s);
    double built = cairn_now();
    island->seconds_assemble = built - begin;
    if (status != CAIRN_OK)
        return status;
    cairn_answer answer;
    cairn_guess guess = {.gamma = s.guess, .v = s.v, .rho = last_penalty(w, island)};
    if (island->holds && island->touches == 0)
        guess = (cairn_guess){
            0}; /* a guess may be good enough for the certificate, and not for those that lean on it */
    status = s.positions ? part_island(lane, island, &answer)
                         : run_solver(lane, CAIRN_LANE_VELOCITIES, island->problem, guess, &answer, &island->info);
    if (status == CAIRN_OK && !s.positions &&
        (is_unsolved(island) || (w->torn && (island->joints > 0 || !passed(w, island)))))
        status = fall_back(w, lane, island);
    if (status == CAIRN_OK && !s.positions && !island->fell_back)
        take_answer(w, island, &answer);
    if (status == CAIRN_OK && !s.positions && cairn_island_may_gain(w, island)) {
        if (!is_unsolved(island))
            status = ease_rebounds(w, lane, island);
        cairn_island_pay(w, island);
    }
    island->seconds_solve = cairn_now() - built;
    if (status == CAIRN_OK && s.positions && !is_unsolved(island) && is_near(w, island, answer.v))
        move_apart(w, island, answer.v);
    return status;
}

/* Kinetic energy of a rigid body with these velocities. */
static double kinetic(const cairn_rigid *r, cairn_vec3 v, cairn_vec3 spin) {
    return 0.5 * r->mass * cairn_vec3_dot(v, v) + 0.5 * cairn_vec3_dot(spin, cairn_mat3_apply(&r->inertia, spin));
}

/* Motors, imposed motions, springs and joints that give way can do work. */
static bool drives(const cairn_joint_def *d) {
    return d->motor || d->motion != NULL || d->stiffness > 0.0 || d->compliance > 0.0;
}

/* Does anything but gravity, loads and what stands still act on it? */
static bool is_driven(const cairn_world *w, const cairn_island *island) {
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        if (w->slot[c->a].kind == CAIRN_BODY_KINEMATIC || w->slot[c->b].kind == CAIRN_BODY_KINEMATIC ||
            w->held[c->a].apart || w->held[c->b].apart || c->compliance > 0.0)
            return true;
    }
    for (int i = 0; i < island->joints; i++) {
        const cairn_joint_data *j = &w->joint[island->joint[i]].data;
        if (drives(&j->def) || w->slot[j->a].kind == CAIRN_BODY_KINEMATIC || w->slot[j->b].kind == CAIRN_BODY_KINEMATIC)
            return true;
    }
    return island->elastic > 0 || island->holds;
}

bool cairn_world_gains(const cairn_world *w, double share) {
    double g = cairn_vec3_length(w->def.gravity), h = w->h;
    for (int i = 0; i < w->islands; i++) {
        const cairn_island *island = &w->island[i];
        double end = 0.0, allowed = 0.0;
        if (is_driven(w, island) || (w->def.rolling && island->joints == 0))
            continue;
        for (int k = 0; k < island->bodies; k++) {
            int slot = island->body[k];
            const cairn_rigid *r = &w->rigid[slot];
            cairn_vec3 v, spin;
            free_velocity(w, slot, &v, &spin);
            end += kinetic(r, w->end_v[slot], w->end_w[slot]);
            allowed += (1.0 + share) * kinetic(r, v, spin) + r->mass * g * h * g * h;
        }
        if (!(end <= allowed))
            return true;
    }
    return false;
}

/* The problems of the islands before this solve: freed, but for those that a solver still holds, and the one that users may ask for. */
static cairn_status retire(cairn_world *w, bool positions) {
    if (!positions)
        w->problem = NULL;
    int waiting = 0;
    for (int i = 0; i < w->retired_count; i++) {
        bool held = w->retired[i] == w->problem;
        for (int l = 0; l < w->lanes; l++)
            for (int k = 0; k < CAIRN_LANE_SOLVERS; k++)
                held = held || w->lane[l].loaded[k] == w->retired[i];
        if (held)
            w->retired[waiting++] = w->retired[i];
        else
            cairn_problem_destroy(w->retired[i]);
    }
    w->retired_count = waiting;
    cairn_status status = cairn_world_grow(w->context, &w->retired, waiting, &w->retired_capacity,
                                           waiting + w->island_capacity, sizeof(cairn_problem *));
    for (int i = 0; status == CAIRN_OK && i < w->island_capacity; i++) {
        cairn_island *island = &w->island[i];
        if (island->problem != NULL)
            w->retired[w->retired_count++] = island->problem;
        island->problem = NULL;
    }
    return status;
}

static cairn_status solve_all(cairn_world *w, bool positions) {
    cairn_status status = retire(w, positions);
    w->parting = positions;
    if (status == CAIRN_OK)
        status = cairn_world_split(w, positions);
    if (status == CAIRN_OK)
        status = cairn_world_each_island(w, false, solve_island, &positions);
    if (status == CAIRN_OK && !positions) {
        cairn_world_load_held(w);
        status = cairn_world_each_island(w, true, solve_island, &positions);
    }
    w->parting = false;
    return status;
}

static bool worse(const cairn_info *a, const cairn_info *b) {
    return a->certificate.excess > b->certificate.excess;
}

/* The note is that of the worst problem of the step; that rebounds were lowered is said whichever it is. */
static void note_rebounds(const cairn_world *w, cairn_info *info) {
    size_t used = strlen(info->note);
    if (w->rebound < 1.0 && strstr(info->note, "rebounds lowered") == NULL)
        snprintf(info->note + used, sizeof info->note - used, "%srebounds lowered to %.3g of themselves",
                 used > 0 ? "; " : "", w->rebound);
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

/* Counts of the island that had most of them, for one solve of all; work in units of factoring every matrix once. */
typedef struct most_counts {
    int iterations, factorizations, whole, jointed_iterations, jointed_factorizations;
    double spent, once; /* multiply-adds of all factorisations, and of one of each matrix */
} most_counts;

static void count_most(most_counts *most, const cairn_island *island) {
    const cairn_info *info = &island->info;
    int partial = info->partial_factorizations;
    most->iterations = larger(most->iterations, info->iterations);
    most->factorizations = larger(most->factorizations, info->factorizations);
    most->whole = larger(most->whole, info->factorizations - partial);
    if (island->joints > 0) {
        most->jointed_iterations = larger(most->jointed_iterations, info->iterations);
        most->jointed_factorizations = larger(most->jointed_factorizations, info->factorizations);
    }
    most->once += info->factor_flops;
    most->spent += info->factor_flops * (info->factorizations - (1.0 - info->partial_share) * partial);
}

static void report_most(const most_counts *most, cairn_step_report *report) {
    report->most_iterations += most->iterations;
    report->most_factorizations += most->factorizations;
    report->most_whole += most->whole;
    report->jointed_iterations += most->jointed_iterations;
    report->jointed_factorizations += most->jointed_factorizations;
    report->factor_work += most->once > 0.0 ? most->spent / most->once : 0.0;
}

/* Once more with no body held: a mechanism did not move as its joints say. Work that was done counts. */
static cairn_status solve_together(cairn_world *w, cairn_step_report *report) {
    for (int i = 0; i < w->islands; i++)
        if (!w->island[i].skipped)
            add_info(&report->info, &w->island[i].info);
    for (int i = 0; i < w->now.count; i++)
        w->now.item[i].solved = false;
    w->together = true;
    cairn_status status = solve_all(w, false);
    w->together = false;
    return status;
}

cairn_status cairn_world_solve(cairn_world *w, cairn_step_report *report) {
    double begin = cairn_now(), assemble = 0.0, solve = 0.0;
    cairn_status status = solve_all(w, false);
    if (status == CAIRN_OK && cairn_world_held_stray(w))
        status = solve_together(w, report);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < w->islands; i++)
        if (!w->island[i].skipped)
            w->island[i].info.certificate.error += cairn_island_astray(w, &w->island[i]);
    report->rows = 0;
    report->islands = w->islands;
    cairn_info sum = report->info;
    most_counts most = {0};
    double partial_work = sum.partial_share * sum.partial_factorizations;
    bool worst_good = report->certified, first = report->solves == 0;
    double error = first ? 0.0 : report->info.certificate.error;
    double angular = first ? 0.0 : report->info.certificate.error_angular;
    w->unsolved = false;
    w->rebound = first ? 1.0 : w->rebound;
    for (int i = 0; i < w->islands; i++) {
        const cairn_island *island = &w->island[i];
        report->rows += island->m;
        if (island->skipped)
            continue;
        bool good = passed(w, island) && !island->fell_back; /* what was certified is not how it moves then */
        w->rebound = fmin(w->rebound, island->rebound);
        w->unsolved = w->unsolved || is_unsolved(island);
        report->fallbacks += island->fell_back;
        report->certified = report->certified && good;
        count_most(&most, island);
        error = fmax(error, island->info.certificate.error);
        angular = fmax(angular, island->info.certificate.error_angular);
        add_info(&sum, &island->info);
        partial_work += island->info.partial_share * island->info.partial_factorizations;
        assemble += island->seconds_assemble;
        solve += island->seconds_solve;
        bool told = first || good < worst_good || (good == worst_good && worse(&island->info, &report->info));
        if (told) {
            report->info = island->info;
            worst_good = good;
            first = false;
        }
        if (told || w->problem == NULL)
            w->problem = island->problem;
    }
    report->info.certificate.error = error; /* the largest of all islands and solves, whichever the rest is of */
    report->info.certificate.error_angular = angular;
    report->info.iterations = sum.iterations;
    report->info.factorizations = sum.factorizations;
    report->info.partial_factorizations = sum.partial_factorizations;
    report->info.partial_share = sum.partial_factorizations > 0 ? partial_work / sum.partial_factorizations : 0.0;
    report->info.solves = sum.solves;
    note_rebounds(w, &report->info);
    report_most(&most, report);
    report->solves += w->islands > 0;
    double all = cairn_now() - begin; /* lanes work side by side: their times are shares of it */
    if (assemble + solve > 0.0) {
        report->seconds_assemble += all * assemble / (assemble + solve);
        report->seconds_solve += all * solve / (assemble + solve);
    }
    return CAIRN_OK;
}

cairn_status cairn_world_part(cairn_world *w, cairn_step_report *report, bool *moved) {
    memset(w->stale, 0, (size_t)w->slots * sizeof *w->stale);
    cairn_status status = solve_all(w, true);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < w->islands; i++)
        *moved = *moved || !w->island[i].skipped;
    report->projections += *moved;
    return CAIRN_OK;
}
