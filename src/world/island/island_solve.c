/*
 * island_solve.c: islands solved, and their answers back to bodies, contacts and joints.
 *
 * The certificate of a step is the worst of its islands. Figures of the solvers add up.
 */
#include "solve/driver/step_solver.h"
#include "solve/driver/passive_motion.h"
#include "world/island/assemble.h"
#include "world/flexible/flexible.h"
#include "world/island/restitution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define USELESS       0.1   /* of the speed: velocities that are more wrong are no answer */
#define TRY           400.0 /* work of a solve with rebounds in a sparing part */
#define LEAST_SHARE   0.2   /* of rebounds: half of that is as good as none */
#define FAR           2.0   /* times the overlap, for every body of a row */
#define PART_LARGE    200   /* contacts from which overlaps are parted roughly, */
#define PART_HEAP     3.0   /* and from so many times the overlap that is allowed at most */
#define PASSIVE_MOST  400.0 /* sweeps of the passive motion, */
#define PASSIVE_LEAST 40.0  /* and where the step has no work left */
#define TURNS_FAR     0.1   /* rad in a step: flexible parts that turn further get */
#define PASSES_FAR    3     /* so many passes before their solve */

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
        cairn_free_velocity(w, at, &v, &spin);
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

/* Geometric mean of the penalties with which its contacts were last solved; 0: none is known. */
static double last_penalty(const cairn_world *w, const cairn_island *island) {
    double sum = 0.0;
    int count = 0;
    if (!w->def.solver.carry_rho)
        return 0.0;
    for (int i = 0; i < island->touches; i++) {
        double rho = w->now.item[island->touch[i]].rho;
        sum += rho > 0.0 ? log(rho) : 0.0;
        count += rho > 0.0;
    }
    return count > 0 ? exp(sum / count) : 0.0;
}

/* Counted work of a solve. */
static double work_of(const cairn_info *info) {
    return info->iterations + CAIRN_FACTOR_COUNTS * info->factorizations;
}

/* Is this a part of a step that is cut? */
static bool is_cut(const cairn_world *w) {
    return w->h < 0.75 * w->def.step / w->def.substeps;
}

/* The work of solves before this one. */
static void add_info(cairn_info *info, const cairn_info *before) {
    info->iterations += before->iterations;
    info->factorizations += before->factorizations;
    info->partial_factorizations += before->partial_factorizations;
    info->solves += before->solves;
}

/* The problem that is loaded. */
static cairn_status solve_loaded(const cairn_world *w, cairn_lane *lane, int which, cairn_island *island,
                                 cairn_guess guess, cairn_answer *answer) {
    cairn_info *info = &island->info;
    lane->stopped = false;
    cairn_solver_allow(lane->solver[which], island->work_left, is_cut(w));
    cairn_status status = cairn_solver_solve(lane->solver[which], &guess, answer, info);
    if (status == CAIRN_OK)
        island->work_left = fmax(0.0, island->work_left - work_of(info));
    info->factorizations += island->trials;
    island->trials = 0;
    /* An answer that was there when somebody said stop would have been made better: it is not the step's. */
    if (status == CAIRN_OK && (lane->stopped || info->outcome == CAIRN_CANCELLED))
        return cairn_fail(lane->context, CAIRN_ERROR_CANCELLED, "the step was stopped");
    return status;
}

/* Passes of parts that nothing acts on, before their solve: a part that turns far is further from its prediction, and each pass leaves a tenth. */
static int passes_of(const cairn_world *w, const cairn_island *island) {
    double most = 0.0;
    for (int i = 0; i < island->bodies; i++)
        most = fmax(most, w->slot[island->body[i]].flex != NULL ? w->slot[island->body[i]].flex->part->turn : 0.0);
    return most > TURNS_FAR ? PASSES_FAR : 1;
}

/* Loads the problem and solves it with one of the lane's solvers. s: where the problem was written, for velocities. */
static cairn_status run_solver(const cairn_world *w, cairn_lane *lane, int which, cairn_island *island,
                               cairn_builder *s, cairn_guess guess, cairn_answer *answer) {
    cairn_solver *solver = lane->solver[which];
    cairn_status status = cairn_solver_load_light(solver, island->problem);
    if (status != CAIRN_OK)
        return status;
    lane->loaded[which] = island->problem;
    int passes = s != NULL && island->elastic > 0 && island->m == 0 ? passes_of(w, island) : 0;
    for (int t = 0; t < passes && status == CAIRN_OK; t++) {
        cairn_solver_predict(solver, s->v);
        status = cairn_island_aim(w, lane, island, s, s->v);
    }
    if (status != CAIRN_OK)
        return status;
    return solve_loaded(w, lane, which, island, guess, answer);
}

cairn_status cairn_island_solve_about(const cairn_world *w, cairn_lane *lane, cairn_island *island,
                                      cairn_answer *answer) {
    cairn_guess guess = {.gamma = answer->gamma, .v = answer->v};
    cairn_info done = island->info;
    cairn_status status = solve_loaded(w, lane, CAIRN_LANE_VELOCITIES, island, guess, answer);
    add_info(&island->info, &done);
    island->passes++;
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

/* Nobody found a motion that meets the rows: one that cannot gain energy but from what drives it, and that keeps them as far as that goes (solve/driver/passive_motion.h). What is reported and kept is the
 * problem. */
static cairn_status fall_back(cairn_world *w, cairn_lane *lane, cairn_island *island) {
    size_t m = (size_t)island->m, n = (size_t)island->n;
    double *room = cairn_alloc(lane->context, 3 * m + n, sizeof *room), gain;
    if (room == NULL)
        return CAIRN_ERROR_MEMORY;
    double *given = room, *gamma = room + m, *u = room + 2 * m, *v = room + 3 * m;
    write_given(w, island, given);
    int sweeps = (int)fmin(PASSIVE_MOST, fmax(PASSIVE_LEAST, island->work_left));
    cairn_status status = cairn_passive_motion(island->problem, given, gamma, v, u, &gain, &sweeps);
    island->info.iterations += sweeps;
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

/* Joints that were torn apart lift bodies where they are closed: the island pays for that with its kinetic energy, as far as that goes. */
static void pay_for_lift(cairn_world *w, const cairn_island *island, const double *v) {
    double lift = 0.0, energy = 0.0;
    for (int i = 0; i < island->bodies; i++) {
        int slot = island->body[i];
        const double *x = v + w->number[slot];
        const cairn_rigid *r = &w->rigid[slot];
        lift -= r->mass * cairn_vec3_dot(w->def.gravity, cairn_vec3_of(x[0], x[1], x[2]));
        energy += cairn_kinetic(r, r->v, r->w);
    }
    if (!(lift > 0.0 && energy > 0.0))
        return;
    double share = sqrt(fmax(0.0, 1.0 - lift / energy));
    for (int i = 0; i < island->bodies; i++) {
        cairn_rigid *r = &w->rigid[island->body[i]];
        r->v = cairn_vec3_scale(share, r->v);
        r->w = cairn_vec3_scale(share, r->w);
    }
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
static cairn_status part_island(const cairn_world *w, cairn_lane *lane, cairn_island *island, cairn_answer *answer) {
    if (island->m >= PART_LARGE && island->joints == 0) {
        cairn_status status = run_solver(w, lane, CAIRN_LANE_ROUGHLY, island, NULL, (cairn_guess){0}, answer);
        if (status != CAIRN_OK || island->info.certificate.certified)
            return status;
    }
    return run_solver(w, lane, CAIRN_LANE_POSITIONS, island, NULL, (cairn_guess){0}, answer);
}

/* The island's problem. */
static cairn_status build(const cairn_world *w, cairn_lane *lane, cairn_island *island, cairn_builder *s) {
    if (cairn_island_is_plain(w, island))
        return cairn_island_write_plain(w, lane, island, s, &island->problem);
    cairn_status status = cairn_island_write(w, lane, island, s);
    return status == CAIRN_OK ? cairn_island_problem(w, lane, s, &island->problem) : status;
}

/* The island once more, with a share of its rebounds. doubtful: an answer that is not certified is not taken. */
static cairn_status solve_again(cairn_world *w, cairn_lane *lane, cairn_island *island, double share, bool doubtful) {
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
    status = run_solver(w, lane, CAIRN_LANE_VELOCITIES, island, &s, guess, &answer);
    if (lane->loaded[CAIRN_LANE_VELOCITIES] == old) { /* the new one was not even loaded */
        cairn_problem_destroy(island->problem);
        island->problem = old;
        return status;
    }
    cairn_problem_destroy(old);
    double *room = NULL;
    if (status == CAIRN_OK && island->elastic > 0 && !is_unsolved(island))
        status = cairn_island_refine(w, lane, island, &s, &answer, &room);
    add_info(&island->info, &before);
    if (status == CAIRN_OK && (!doubtful || passed(w, island)))
        take_answer(w, island, &answer);
    cairn_free(lane->context, room);
    return status;
}

/* Rebounds that create energy are lowered until they do not (restitution.c). Where the rebounds are not to blame the whole ones are put back. */
static cairn_status ease_rebounds(cairn_world *w, cairn_lane *lane, cairn_island *island) {
    if (passed(w, island) && !cairn_island_could_gain(w, island))
        return CAIRN_OK;
    cairn_island_gain gain = cairn_island_gains(w, lane, island);
    bool certified = island->info.certificate.certified;
    if (!(gain.rebounds > gain.allowed))
        return CAIRN_OK;
    cairn_status status = CAIRN_OK;
    cairn_rebound_search search = cairn_rebound_begin(gain.rebounds);
    do {
        status = solve_again(w, lane, island, search.share, false);
        if (status != CAIRN_OK)
            return status;
        gain = cairn_island_gains(w, lane, island);
    } while (cairn_rebound_next(&search, gain.rebounds, gain.allowed,
                                !is_unsolved(island) && (island->info.certificate.certified || !certified)));
    island->rebound = search.share;
    return CAIRN_OK;
}

/* Work of a solve of a sparing part with this share of rebounds. In a long step they may contradict each other, between walls for instance: it shows early. */
static double work_for(const cairn_world *w, const cairn_island *island, double share) {
    double all = cairn_world_allowance(w, island->m);
    return w->sparing && share > 0.0 ? fmin(all, TRY) : all;
}

/* Rebounds of a sparing part are halved until its answer is certified and gains nothing; without any it is taken as it is. */
static cairn_status halve_rebounds(cairn_world *w, cairn_lane *lane, cairn_island *island) {
    cairn_status status = CAIRN_OK;
    while (status == CAIRN_OK && island->rebound > 0.0) {
        if (passed(w, island)) {
            cairn_island_gain gain = cairn_island_gains(w, lane, island);
            if (gain.rebounds <= gain.allowed)
                return CAIRN_OK;
        }
        island->rebound = island->rebound > LEAST_SHARE ? 0.5 * island->rebound : 0.0;
        island->work_left = work_for(w, island, island->rebound);
        status = solve_again(w, lane, island, island->rebound, island->rebound > 0.0);
    }
    return status;
}

/* Builds, loads and solves; user: whether positions are meant. The old problem waits in the world until no solver holds it. Where joints do not let
 * bodies be parted nothing moves. */
static cairn_status solve_island(cairn_world *w, cairn_lane *lane, cairn_island *island, void *user) {
    cairn_builder s = {.positions = *(const bool *)user, .rebound = w->ahead ? 0.0 : w->share};
    if (s.positions) {
        island->skipped = !is_deep(w, island);
    } else {
        island->speed = fastest(w, island);
        island->skipped = is_solved(w, island);
    }
    island->info.certificate.certified = island->skipped;
    if (island->skipped)
        return CAIRN_OK;
    island->rebound = s.rebound;
    island->fell_back = island->unbalanced = false;
    island->unbalance = island->created = 0.0;
    island->passes = 1;
    island->trials = 0;
    island->work_left = work_for(w, island, s.positions ? 0.0 : s.rebound);
    double begin = cairn_now();
    cairn_status status = build(w, lane, island, &s);
    double built = cairn_now();
    island->seconds_assemble = built - begin;
    if (status != CAIRN_OK)
        return status;
    if (island->elastic > 0 && !s.positions)
        status = cairn_island_try_flow(w, lane, island, &s, passes_of(w, island));
    if (status != CAIRN_OK)
        return status;
    cairn_answer answer;
    double *room = NULL; /* holds the answer of a first solve */
    cairn_guess guess = {.gamma = s.guess, .v = s.v, .rho = last_penalty(w, island)};
    if (island->holds && island->touches == 0)
        guess = (cairn_guess){
            0}; /* a guess may be good enough for the certificate, and not for those that lean on it */
    status = s.positions ? part_island(w, lane, island, &answer)
                         : run_solver(w, lane, CAIRN_LANE_VELOCITIES, island, &s, guess, &answer);
    bool tries = w->sparing && !w->ahead && !s.positions && s.rebound > 0.0 && island->elastic == 0;
    if (status == CAIRN_OK && tries) {
        if (passed(w, island))
            take_answer(w, island, &answer);
        status = halve_rebounds(w, lane, island);
    }
    if (status == CAIRN_OK && !s.positions && !w->ahead && island->elastic > 0 && !is_unsolved(island))
        status = cairn_island_refine(w, lane, island, &s, &answer, &room);
    if (status == CAIRN_OK && !s.positions &&
        (is_unsolved(island) || (w->torn && (island->joints > 0 || !passed(w, island)))))
        status = fall_back(w, lane, island);
    if (status == CAIRN_OK && !s.positions && !island->fell_back && !tries)
        take_answer(w, island, &answer);
    cairn_free(lane->context, room);
    if (status == CAIRN_OK && !s.positions && !w->ahead && cairn_island_may_gain(w, island)) {
        if (!is_unsolved(island) && !island->fell_back && !w->sparing)
            status = ease_rebounds(w, lane, island);
        cairn_island_pay(w, lane, island);
    }
    island->seconds_solve = cairn_now() - built;
    if (status == CAIRN_OK && s.positions && !is_unsolved(island) && is_near(w, island, answer.v)) {
        move_apart(w, island, answer.v);
        if (widest(w, island) > CAIRN_JOINT_OPEN * w->def.tolerance_joint)
            pay_for_lift(w, island, answer.v);
    }
    return status;
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

/* Newton's iterations have not ended. */
static void note_balance(const cairn_world *w, cairn_info *info, double unbalanced) {
    char words[128];
    if (unbalanced == 0.0)
        return;
    snprintf(words, sizeof words, "%d solves leave flexible parts out of balance by %.3g m/s", w->def.newton,
             unbalanced);
    cairn_note_first(info, words);
}

/* Flexible parts have more energy than anything gave them. */
static void note_created(cairn_info *info, double created) {
    char words[128];
    if (!(created > 0.0))
        return;
    snprintf(words, sizeof words, "flexible parts gain %.3g J that nothing gave them", created);
    cairn_note_first(info, words);
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

/* Counts of the island that had most of them, for one solve of all; work in units of factoring every matrix once. */
typedef struct most_counts {
    int rows, iterations, factorizations, whole, jointed_iterations, jointed_factorizations;
    double spent, once; /* multiply-adds of all factorisations, and of one of each matrix */
} most_counts;

static void count_most(most_counts *most, const cairn_island *island) {
    const cairn_info *info = &island->info;
    int partial = info->partial_factorizations;
    most->rows = larger(most->rows, island->m);
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

static double work_of_most(const most_counts *most) {
    return most->iterations + CAIRN_FACTOR_COUNTS * most->factorizations;
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
    most_counts most = {0};
    for (int i = 0; i < w->islands; i++)
        if (!w->island[i].skipped) {
            add_info(&report->info, &w->island[i].info);
            count_most(&most, &w->island[i]);
        }
    cairn_world_spend(w, work_of_most(&most), most.rows);
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
    int passes = w->islands > 0;
    double unbalanced = 0.0, created = 0.0;
    for (int i = 0; i < w->islands; i++) {
        const cairn_island *island = &w->island[i];
        report->rows += island->m;
        if (island->skipped)
            continue;
        bool good = passed(w, island) && !island->fell_back && !island->unbalanced &&
                    !(island->created > 0.0); /* what was certified is not how it moves then */
        w->rebound = w->ahead ? w->rebound : fmin(w->rebound, island->rebound);
        w->share = w->ahead ? w->share : fmin(w->share, w->sparing ? island->rebound : 1.0);
        w->unsolved = w->unsolved || is_unsolved(island);
        report->fallbacks += island->fell_back;
        passes = larger(passes, island->passes);
        unbalanced = island->unbalanced ? fmax(unbalanced, island->unbalance) : unbalanced;
        created += island->created;
        w->creates = w->creates || island->created > 0.0;
        report->certified = report->certified && good;
        w->failed = w->failed || !good;
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
    note_balance(w, &report->info, unbalanced);
    note_created(&report->info, created);
    report_most(&most, report);
    cairn_world_spend(w, work_of_most(&most), most.rows);
    report->solves += passes;
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
    most_counts most = {0};
    for (int i = 0; i < w->islands; i++) {
        *moved = *moved || !w->island[i].skipped;
        if (!w->island[i].skipped)
            count_most(&most, &w->island[i]);
    }
    if (*moved)
        cairn_world_spend(w, work_of_most(&most), most.rows);
    report->projections += *moved;
    return CAIRN_OK;
}
