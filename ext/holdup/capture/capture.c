#include "capture/capture.h"

struct cap cap = {.file = -1};

void cap_write(cap_event_t event)
{
    uint64_t number = __atomic_fetch_add(&cap.header->head, 1, __ATOMIC_RELAXED);
    cap_event_t *e = &cap.events[number & cap.mask];
    CAP_SET(e->commit, 0);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    CAP_SET(e->thread, event.thread);
    CAP_SET(e->time, event.time);
    CAP_SET(e->detail, event.detail);
    CAP_SET(e->unit, event.unit);
    CAP_SET(e->waiters, event.waiters);
    CAP_SET(e->kind, event.kind);
    CAP_SET(e->flags, event.flags);
    __atomic_store_n(&e->commit, (uint32_t)(number + 1), __ATOMIC_RELEASE);
}

void cap_put(cap_event_t event)
{
    cap_enter();
    if (__atomic_load_n(&cap.on, __ATOMIC_SEQ_CST)) cap_write(event);
    cap_leave();
}
