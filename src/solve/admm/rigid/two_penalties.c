/*
 * two_penalties.c: ADMM for rigid bodies in contact with two penalties in turn, a low and a high
 * one, in the metric of [T21 (47)].
 *
 *     LOW_ITERATIONS with rho = LOW, HIGH_ITERATIONS with rho = HIGH, and so on; x is carried over so that z and y stay
 *
 * With one penalty the last decade to a certificate takes most of the iterations: a low penalty
 * moves the impulses of whole walls, but leaves every contact a little wrong; a high one rights
 * each contact, and moves walls slowly. Where bodies tumble, the two in turn take half of the
 * iterations of the best single one, or of one that is balanced as in [T21 (42)]. Both factors are
 * kept (kkt.h), so a turn costs no factorisation after the first two.
 *
 * A high turn whose end is near goes on to it. z is tested at the end of each turn, a few times
 * before, and wherever the last step predicts that it passes.
 */
#include "solve/admm/rigid/rigid_admm.h"

#include <math.h>

#define RELAXATION      1.8
#define LOW             0.12
#define HIGH            0.6
#define LOW_ITERATIONS  60
#define HIGH_ITERATIONS 20
#define LOW_TEST        20 /* iterations between two tests at the low penalty */
#define HIGH_TEST       5  /* iterations between two tests at the high penalty */
/* the high-penalty phase goes on while the error is below this multiple of what is allowed and four
 * more steps like the last would bring it within what is allowed */
#define NEAR     3.0
#define BETTER   0.9  /* share of the least error that counts as progress at the end of a high phase */
#define PATIENCE 12   /* high phases without progress after which the stage ends */
#define ASTRAY   30.0 /* multiple of the least error at which the stage ends at once */
/* factor of PATIENCE and of the limit once the least error is below NEAR, because the next stage
 * takes dozens of factorisations */
#define MORE 4

/* From one penalty to the other. known: its factor is there. */
static cairn_status turn(cairn_run *run, cairn_admm *admm, int to, bool known) {
    static const double penalty[] = {LOW, HIGH};
    double factor = penalty[to] / admm->rho;
    cairn_status status = CAIRN_OK;
    if (cairn_kkt_places(admm->kkt) == 2)
        cairn_kkt_choose(admm->kkt, to);
    if (known)
        run->rho = admm->rho = penalty[to];
    else
        status = cairn_admm_change(run, admm, factor);
    cairn_rigid_admm_rescale(run, admm, factor);
    return status;
}

/* x, and the factor of the low penalty. */
static cairn_status begin(cairn_run *run, cairn_admm *admm) {
    double rho = run->guess_rho;
    cairn_kkt_choose(admm->kkt, 0);
    run->guess_rho = LOW;
    cairn_status status = cairn_admm_begin(run, admm);
    run->guess_rho = rho;
    if (status == CAIRN_OK)
        cairn_rigid_admm_begin(run, admm);
    return status;
}

/* What high turns have brought. */
typedef struct turn_record {
    double best;     /* least distance at their ends */
    int waited;      /* turns since */
    double distance; /* at the last test but one */
} turn_record;

/* Is the end so near that this high turn should go on? */
static bool is_near(const turn_record *record, double distance) {
    double gain = distance / record->distance, square = gain * gain;
    return distance < NEAR && gain < 1.0 && distance * square * square < 1.0;
}

/* Is there no point in another turn after this high one? */
static bool gives_up(cairn_run *run, turn_record *record, double distance) {
    if (distance > ASTRAY * record->best)
        return true;
    bool better = distance < BETTER * record->best;
    record->waited = better ? 0 : record->waited + 1;
    if (better) {
        record->best = distance;
        run->stalled_since = run->iterations; /* candidates that are not offered are progress too */
    }
    return record->waited >= (record->best < NEAR ? MORE * PATIENCE : PATIENCE);
}

bool cairn_admm_turns_run(cairn_run *run, cairn_admm *admm, int limit) {
    cairn_status status = begin(run, admm);
    turn_record record = {.best = INFINITY, .distance = INFINITY};
    int high = 0, left = LOW_ITERATIONS;
    bool keeps = cairn_kkt_places(admm->kkt) == 2, known[2] = {keeps, false};
    for (int count = 1; status == CAIRN_OK; count++) {
        cairn_admm_step step;
        left--;
        int most = record.best < NEAR ? MORE * limit : limit;
        bool last = count >= most || run->iterations + 1 == run->settings->max_iterations;
        bool due = last || left % (high ? HIGH_TEST : LOW_TEST) == 0, may = left % run->settings->test_every == 0;
        cairn_admm_measure measure = due || may ? CAIRN_MEASURE_SQUARE : CAIRN_MEASURE_NOTHING;
        if (!cairn_rigid_admm_iterate(run, admm, RELAXATION, measure, &step))
            return true;
        bool test = due || (may && cairn_rigid_admm_promising(run, admm->lanes, step.square));
        double distance = admm->lanes->distance;
        if (test) {
            cairn_rigid_admm_test(run, admm, step.square, last);
            record.distance = distance;
        }
        if (!cairn_rigid_admm_tick(run, admm, test))
            return true;
        if (last)
            return false;
        if (high && left == 0 && is_near(&record, admm->lanes->distance))
            left = HIGH_TEST;
        if (left > 0)
            continue;
        if (high && gives_up(run, &record, admm->lanes->distance))
            return false;
        high = 1 - high;
        left = high ? HIGH_ITERATIONS : LOW_ITERATIONS;
        status = turn(run, admm, high, known[high]);
        admm->lanes->ratio = INFINITY; /* the ratio belongs to the other penalty: none before the next test */
        known[high] = keeps;
    }
    cairn_run_broken(run, cairn_error_message(run->context));
    return true;
}
