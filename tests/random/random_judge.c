/*
 * random_judge.c: see random_judge.h. Finite numbers, the balance of energy, and the loop over frames; depths are in random_places.c.
 *
 * Balance. In a step of length h from velocities v to v', with K = 1/2 v'Mv and the elastic energy E of flexible parts, a passive world has
 *
 *     K' + E' - K - E <= h m g'(v + v')/2 + tolerance:
 *
 * a constant force works along the mean of the velocities, so the right side is exact for gravity, and what a step of x + h v' makes of
 * the potential energy, or the parting of overlaps, is not in it. A step of several parts: velocities in between are not known. The way of the centres
 * is taken, or the mean of the first and last velocities where that is more, as bodies that are parted are lifted on their way, and |m g h (v' - v)| more is allowed.
 */
#include "random_judge.h"
#include "random_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const found_name[FOUND_KINDS] = {"crash",  "hang",   "failed", "nan",     "deep",    "sunk",
                                                    "passed", "energy", "books",  "threads", "restart", "work"};

const char *random_found_name(int kind) {
    return found_name[kind];
}

void random_found_add(random_result *result, int kind, int64_t step, double figure) {
    random_finding *finding = &result->found[kind];
    if (finding->count++ == 0 || figure > finding->figure) {
        finding->step = step;
        finding->figure = figure;
    }
}

random_facts random_facts_read(const char *text) {
    random_facts facts = {.active = true, .gravity = {0, 0, -9.81}};
    const char *judged = strstr(text, "judged as:"), *gravity = strstr(text, "\"gravity\":");
    char word[160];
    if (gravity != NULL)
        sscanf(gravity, "\"gravity\": [%lf, %lf, %lf]", &facts.gravity[0], &facts.gravity[1], &facts.gravity[2]);
    if (judged != NULL && sscanf(judged, "judged as:%150[^;]", word) == 1) {
        facts.active = strstr(word, "passive") == NULL;
        facts.restitution = strstr(word, "restitution") != NULL;
        facts.stores = strstr(word, "stores") != NULL;
        facts.soft = strstr(word, "soft") != NULL;
        facts.jointed = strstr(word, "jointed") != NULL;
        facts.flexible = strstr(word, "flexible") != NULL;
    }
    return facts;
}

static bool all_finite(const double *value, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return false;
    return true;
}

static bool frame_is_finite(const cairn_frame *frame) {
    const double figure[] = {frame->kinetic,       frame->potential,    frame->elastic,    frame->friction_work,
                             frame->impact_work,   frame->created_work, frame->joint_work, frame->load_work,
                             frame->error_angular, frame->error_rms,    frame->deepest,    frame->time};
    bool fine = all_finite(figure, (int)(sizeof figure / sizeof figure[0]));
    fine = fine &&
           (isfinite(frame->error) || !frame->certified); /* no bound of an answer that was refused is allowed */
    fine = fine && all_finite(frame->position, 3 * frame->bodies) && all_finite(frame->rotation, 4 * frame->bodies);
    fine = fine && all_finite(frame->velocity, 3 * frame->bodies) &&
           all_finite(frame->angular_velocity, 3 * frame->bodies);
    fine = fine && all_finite(frame->contact_impulse, 3 * frame->contacts) &&
           all_finite(frame->contact_point, 3 * frame->contacts);
    fine = fine && all_finite(frame->contact_normal, 3 * frame->contacts) &&
           all_finite(frame->contact_gap, frame->contacts);
    fine = fine && all_finite(frame->joint_force, 3 * frame->joints) &&
           all_finite(frame->joint_torque, 3 * frame->joints);
    fine = fine && all_finite(frame->node_position, 3 * frame->nodes) &&
           all_finite(frame->node_velocity, 3 * frame->nodes);
    return fine;
}

/* A rebound may come so many steps after its impact: one step, but others may rebound in between from impacts before that. */
enum { LATE = 8 };

/* ---- energy ------------------------------------------------------------------------------------------------- */

/* Sums over the dynamic bodies of a frame, from masses and velocities. */
typedef struct motion {
    double kinetic, turning; /* J; turning: the part of spins */
    double power, place;     /* m g'v, W; m g'x, J */
    double weight, weighted; /* sum of m |g| |v|, W; of m |g|, N */
    double momentum;         /* sum of m |v|, kg m/s */
    double spin;             /* largest |omega|, rad/s */
} motion;

static motion motion_of(cairn_recording *recording, const cairn_frame *frame, const double *gravity) {
    motion sum = {0};
    double g = sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]);
    for (int i = 0; i < frame->bodies; i++) {
        cairn_recorded_body body;
        const double *x = &frame->position[3 * i], *q = &frame->rotation[4 * i], *v = &frame->velocity[3 * i];
        const double *w = &frame->angular_velocity[3 * i];
        if (cairn_recording_body(recording, i, &body) != CAIRN_OK || !(body.mass > 0))
            continue;
        cairn_quat turn = {q[0], q[1], q[2], q[3]};
        cairn_vec3 spin = cairn_quat_rotate(cairn_quat_conjugate(turn), cairn_vec3_of(w[0], w[1], w[2]));
        cairn_vec3 center = cairn_quat_rotate(turn, cairn_vec3_of(body.center[0], body.center[1], body.center[2]));
        const double *I = body.inertia, s[3] = {spin.x, spin.y, spin.z};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                sum.turning += 0.5 * s[r] * I[3 * r + c] * s[c];
        sum.spin = fmax(sum.spin, cairn_vec3_length(spin));
        sum.kinetic += 0.5 * body.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        sum.power += body.mass * (gravity[0] * v[0] + gravity[1] * v[1] + gravity[2] * v[2]);
        sum.place += body.mass *
                     (gravity[0] * (x[0] + center.x) + gravity[1] * (x[1] + center.y) + gravity[2] * (x[2] + center.z));
        sum.weight += body.mass * g;
        sum.momentum += body.mass * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    sum.weighted = g * sum.momentum;
    sum.kinetic += sum.turning;
    return sum;
}

/* What may be gained by the tolerances of a step, J: the certificate is exact for free velocities within tolerance_velocity; overlaps up to
 * g h^2 that contacts close by velocity; joints that close a gap of ten times their tolerance. */
static double contact_slack(const cairn_frame *frame, const cairn_recording_info *info, double g) {
    double sum = 0, h = info->step;
    for (int i = 0; i < frame->contacts; i++) {
        const double *p = &frame->contact_impulse[3 * i], *n = &frame->contact_normal[3 * i];
        double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        double push = fmax(0, p[0] * n[0] + p[1] * n[1] + p[2] * n[2]);
        sum += size * 2 * info->tolerance_velocity + push * fmin(fmax(0, -frame->contact_gap[i]) / h, g * h);
    }
    for (int i = 0; i < 3 * frame->joints; i++)
        sum += h * (fabs(frame->joint_force[i]) + fabs(frame->joint_torque[i])) * 2 * info->tolerance_velocity;
    return sum;
}

/* What no law of contacts can avoid in a step of one part, J. Impulses p = m (v' - v - h g) on the bodies of a world change its energy by
 *
 *     gamma'u' - p'p/2m - h g'p/2  (and less for what they do to spins),
 *
 * where the last two terms are the mean of the velocities taken for the way: a body that gravity turns round within the step, and that is stopped where it came from, has lost what it had and
 * gone nowhere, but this balance says that gravity did m g^2 h^2/4 less. The sum of both is at most m g^2 h^2/8, and nothing where p is larger than h m g. What a contact may make is in the first term. */
static double turned_by_gravity(cairn_recording *recording, const cairn_frame *frame, const double *last,
                                const double *gravity, double h) {
    double sum = 0;
    for (int i = 0; i < frame->bodies; i++) {
        cairn_recorded_body body;
        double square = 0, along = 0;
        if (cairn_recording_body(recording, i, &body) != CAIRN_OK || !(body.mass > 0))
            continue;
        for (int k = 0; k < 3; k++) {
            double d = frame->velocity[3 * i + k] - last[3 * i + k] - h * gravity[k];
            square += d * d;
            along += h * gravity[k] * d;
        }
        sum -= 0.5 * body.mass * (square + along);
    }
    return fmax(sum, 0);
}

typedef struct balance {
    motion before;
    double *last;      /* velocities of the frame before */
    double energy;     /* kinetic and elastic of the frame before */
    double past[LATE]; /* gains of the steps before, last one first */
    double sum, slack; /* of all steps */
} balance;

static void judge_energy(balance *b, cairn_recording *recording, const cairn_frame *frame, const random_facts *facts,
                         const random_told *told, random_result *result) {
    cairn_recording_info info = cairn_recording_get(recording);
    motion now = motion_of(recording, frame, facts->gravity);
    double energy = (facts->flexible ? frame->kinetic : now.kinetic) + frame->elastic;
    if (!facts->flexible && !(fabs(frame->kinetic - now.kinetic) <= 1e-9 * (now.kinetic + frame->kinetic)))
        random_found_add(result, FOUND_BOOKS, frame->step, fabs(frame->kinetic - now.kinetic) / now.kinetic);
    if (told != NULL && !facts->active) {
        const double *a = facts->gravity;
        double h = info.step, g = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        double work = 0.5 * h * (b->before.power + now.power);
        work = told->substeps == 1 ? work : fmax(work, now.place - b->before.place);
        double size = b->energy + energy + fabs(work), gain = energy - b->energy - work;
        double share = facts->jointed || facts->flexible ? 1e-2 : 1e-6;
        double turn = fmin(h * fmax(now.spin, b->before.spin), 1);
        double slack = contact_slack(frame, &info, g) + share * size +
                       1e-3 * turn * turn * (now.turning + b->before.turning);
        double unknown = h * (now.weighted + b->before.weighted) + 2 * h * h * g * now.weight +
                         2 * info.tolerance_velocity * (now.momentum + b->before.momentum); /* of several parts */
        unknown = told->substeps == 1 ? 0 : unknown;
        slack += told->substeps == 1 ? turned_by_gravity(recording, frame, b->last, a, h) : unknown;
        b->sum += gain;
        b->slack += slack;
        double paid = 0, before = 0; /* a rebound may come some steps after its impact and bring back what that lost */
        for (int i = 0; i < LATE && facts->restitution; i++) {
            before += b->past[i];
            paid = fmin(paid, before);
        }
        double rise = facts->stores ? b->sum - b->slack : gain - slack + paid;
        if (rise > 0)
            random_found_add(result, FOUND_ENERGY, frame->step, rise / fmax(b->energy + fabs(work), 1e-300));
        memmove(b->past + 1, b->past, (LATE - 1) * sizeof *b->past);
        b->past[0] = gain - unknown; /* so much may such a step have lost */
    }
    b->before = now;
    b->energy = energy;
    memcpy(b->last, frame->velocity, 3 * (size_t)frame->bodies * sizeof *b->last);
}

/* ---- frames ------------------------------------------------------------------------------------------------- */

bool random_judge(cairn_recording *recording, const random_facts *facts, const random_told *told, int64_t steps,
                  random_result *result) {
    cairn_recording_info info = cairn_recording_get(recording);
    random_places *places = random_places_create(recording, facts);
    balance b = {.last = calloc(3 * (size_t)info.bodies + 1, sizeof *b.last)};
    bool fine = places != NULL && b.last != NULL && info.frames == steps + 1;
    if (!fine)
        snprintf(result->text, sizeof result->text, "%d frames of %d steps, or no memory", (int)info.frames,
                 (int)steps);
    for (int64_t i = 0; fine && i <= steps; i++) {
        cairn_frame frame;
        if (cairn_recording_frame(recording, i, &frame) != CAIRN_OK) {
            snprintf(result->text, sizeof result->text, "%s", cairn_error_message(cairn_recording_context(recording)));
            fine = false;
            break;
        }
        if (!frame_is_finite(&frame)) {
            random_found_add(result, FOUND_NAN, frame.step, 0);
            break; /* nothing after it makes sense */
        }
        if (i > 0 && told[i - 1].work > random_work_bound)
            random_found_add(result, FOUND_WORK, frame.step, told[i - 1].work);
        result->steps += i > 0;
        result->certified += i > 0 && frame.certified;
        judge_energy(&b, recording, &frame, facts, i > 0 ? &told[i - 1] : NULL, result);
        random_places_judge(places, &frame, i > 0 ? told[i - 1].substeps : 1, result);
    }
    random_places_free(places);
    free(b.last);
    return fine;
}
