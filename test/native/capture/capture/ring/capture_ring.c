/*
 * The ring of a capture alone, without Ruby: threads write events while captures begin and end. Prints how
 * many events were not as they were written. ThreadSanitizer watches.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "capture/capture.h"

#define WRITERS 4
#define CAPTURES 40
#define CAPACITY (1 << 18)
#define BYTES (CAP_HEADER_BYTES + CAPACITY * sizeof(cap_event_t))

static bool stop;

static void *write_events(void *given)
{
    for (uint64_t n = (uint64_t)(uintptr_t)given << 32; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++) {
        const cap_event_t event = {.thread = (uint32_t)n,
                                   .time = n,
                                   .detail = ~n,
                                   .unit = (uint32_t)~n,
                                   .waiters = (uint16_t)n,
                                   .kind = 1};
        if (CAP_ON()) cap_put(event);
    }
    return NULL;
}

static void begin(void)
{
    cap.base = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (cap.base == MAP_FAILED) abort();
    cap.header = (cap_header_t *)cap.base;
    cap.events = (cap_event_t *)(cap.base + CAP_HEADER_BYTES);
    cap.mask = CAPACITY - 1;
    __atomic_store_n(&cap.on, true, __ATOMIC_SEQ_CST);
}

/*
 * Who was in has written; nobody touches it any more. Where the machine let a capture go on for longer than
 * its ring, nothing is known.
 */
static unsigned end(void)
{
    unsigned wrong = 0;
    __atomic_store_n(&cap.on, false, __ATOMIC_SEQ_CST);
    while (!cap_quiet()) sched_yield();
    
    for (uint64_t number = 0; cap.header->head <= CAPACITY && number < cap.header->head; number++) {
        const cap_event_t *e = &cap.events[number];
        wrong += e->commit != number + 1 || e->detail != ~e->time || e->unit != (uint32_t)~e->time ||
                 e->waiters != (uint16_t)e->time;
    }
    munmap(cap.base, BYTES);
    return wrong;
}

int main(void)
{
    pthread_t threads[WRITERS];
    unsigned wrong = 0;
    for (uintptr_t i = 0; i < WRITERS; i++)
        if (pthread_create(&threads[i], NULL, write_events, (void *)(i + 1))) abort();
    for (int i = 0; i < CAPTURES; i++) {
        begin();
        while (__atomic_load_n(&cap.header->head, __ATOMIC_RELAXED) < 4096) sched_yield();
        wrong += end();
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < WRITERS; i++) pthread_join(threads[i], NULL);
    printf("%u\n", wrong);
    return 0;
}
