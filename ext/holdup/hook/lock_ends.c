#include "hook/lock_ends.h"

#include <ruby.h>

#include "hook/lock_samples.h"

/* Methods that interrupt a thread instead of giving it what it waits for. `exit` is Monitor's, too. */
static ID interrupts[3];

void lock_ends_prepare(void)
{
    interrupts[0] = rb_intern("raise");
    interrupts[1] = rb_intern("kill");
    interrupts[2] = rb_intern("terminate");
}

/* The thread that holds the GVL, if this is it: it has the native thread that Ruby calls us on. */
static tclock_t *lock_waker(const tclock_t *victim)
{
    tclock_t *holder = BLAME_GET(victim->blame->holder);
    bool runs = holder && holder->phase == TC_RUNNING && holder->epoch == tc.epoch;
    return runs && pthread_equal(holder->native, pthread_self()) ? holder : NULL;
}

static bool lock_interrupts(void)
{
    ID method = rb_frame_this_func();
    return method == interrupts[0] || method == interrupts[1] || method == interrupts[2];
}

void lock_wait_ends(tclock_t *victim, uint64_t t)
{
    pair_party_t *waited = victim->party;
    if (!waited || waited == victim->own_party) return;
    const tclock_t *waker = lock_waker(victim);
    if (!waker || !waker->party || lock_interrupts()) return;
    pair_add(&waited->lock, waker->party, victim->region);
    lock_sample(victim, waker, t);
}
