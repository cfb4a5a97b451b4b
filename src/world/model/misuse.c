/*
 * misuse.c: calls that a world cannot carry out: without it, without what they need, or while it is stepped: from a callback of the step, or from
 * another thread.
 *
 * The text of an error belongs to the context, which the thread that steps is using: another thread gets the status alone. Not told: calls that only
 * look at a world while another thread steps it, and worlds that are destroyed already.
 */
#include "world/model/world_data.h"

#include <pthread.h>
#include <stdatomic.h>

static uintptr_t this_thread(void) {
    return (uintptr_t)pthread_self();
}

static cairn_status tell_busy(const cairn_world *w, uintptr_t owner, const char *call) {
    if (owner != this_thread())
        return CAIRN_ERROR_STATE;
    return cairn_fail(w->context, CAIRN_ERROR_STATE,
                      "%s: called by a callback while the world is stepped; there it may be looked at and pushed only",
                      call);
}

cairn_status cairn_world_check(const cairn_world *w, bool changes, bool given, const char *call) {
    if (w == NULL)
        return CAIRN_ERROR_ARGUMENT;
    uintptr_t owner = changes ? atomic_load(&w->busy) : 0;
    if (owner != 0)
        return tell_busy(w, owner, call);
    return given ? CAIRN_OK : cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "%s: an argument is NULL", call);
}

cairn_status cairn_world_enter(cairn_world *w, const char *call) {
    uintptr_t nobody = 0;
    if (w == NULL)
        return CAIRN_ERROR_ARGUMENT;
    return atomic_compare_exchange_strong(&w->busy, &nobody, this_thread()) ? CAIRN_OK : tell_busy(w, nobody, call);
}

void cairn_world_leave(cairn_world *w) {
    atomic_store(&w->busy, 0);
}
