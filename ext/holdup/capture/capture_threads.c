#include "capture/capture_threads.h"

#include "hook/registry.h"

static uint64_t capt_next; /* where the search for a thread that is gone goes on */

static inline cap_thread_t *capt_table(void)
{
    return (cap_thread_t *)(cap.base + cap.header->threads_offset);
}

/* The entry of a thread in the table; NULL when it has none. */
static cap_thread_t *capt_entry(const tclock_t *c)
{
    if (!c->listed || c->listed > cap.header->thread_count) return NULL;
    cap_thread_t *entry = &capt_table()[c->listed - 1];
    return entry->number == c->number ? entry : NULL;
}

/* The state of a thread, for threads that have no event in the ring. */
static void capt_update_phase(const tclock_t *c, cap_thread_t *entry)
{
    entry->phase = tc_known(c) ? c->phase : TC_UNKNOWN;
    entry->at = c->at;
}

/* Threads in the table that have ended become CAP_GONE. */
static void capt_update_phases(void)
{
    for (uint64_t i = 0; i < cap.header->thread_count; i++) capt_table()[i].phase = CAP_GONE;
    for (const tclock_t *c = reg.clocks; c; c = c->next) {
        cap_thread_t *entry = tc_lives(c) ? capt_entry(c) : NULL;
        if (entry) capt_update_phase(c, entry);
    }
}

static cap_thread_t *capt_seek_gone(void)
{
    uint64_t count = cap.header->thread_count;
    while (capt_next < count && capt_table()[capt_next].phase != CAP_GONE) capt_next++;
    return capt_next < count ? &capt_table()[capt_next] : NULL;
}

/* A place for a new thread; NULL when the table is full of living threads. */
static cap_thread_t *capt_place(void)
{
    cap_header_t *h = cap.header;
    if (h->thread_count < h->thread_capacity) return &capt_table()[h->thread_count];
    cap_thread_t *gone = capt_seek_gone();
    if (gone) return gone;
    capt_next = 0;
    capt_update_phases();
    return capt_seek_gone();
}

static cap_thread_t *capt_enter(tclock_t *c)
{
    cap_header_t *h = cap.header;
    cap_thread_t *entry = capt_place();
    if (!entry) return NULL;
    *entry = (cap_thread_t){.number = c->number, .ledger = c->blame->number};
    c->listed = (uint32_t)(entry - capt_table()) + 1;
    if (c->listed > h->thread_count) __atomic_store_n(&h->thread_count, c->listed, __ATOMIC_RELEASE);
    return entry;
}

cap_thread_t *capt_list(tclock_t *c)
{
    cap_thread_t *entry = capt_entry(c);
    if (!entry) entry = capt_enter(c);
    if (entry) capt_update_phase(c, entry);
    return entry;
}

void capt_list_all(void)
{
    capt_update_phases();
    cap.header->threads_lost = 0;
    for (tclock_t *c = reg.clocks; c; c = c->next)
        if (tc_lives(c) && !capt_list(c)) cap.header->threads_lost++;
}
