/*
 * Making, mapping and letting go of a capture's file. What takes time (space for megabytes) is done without the GVL.
 */
#ifndef HOLDUP_CAPTURE_FILE_H
#define HOLDUP_CAPTURE_FILE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "shared.h"

typedef struct {
    char path[4096];
    uint64_t capacity, names;
    bool stacks;
    int failed; /* 0 or an errno */
    bool done;
} capf_wish_t;

/* Held while a file is opened, mapped or let go, and by a fork: a child then finds all of it or nothing. */
SHARED pthread_mutex_t capf_hands;

/* Without the GVL; no capture is on. */
void *capf_make(void *given);

/* Without the GVL, which a thread that is writing an event may be waiting for. The capture is off; it has ended when the last one has written. */
void *capf_let_go(void *done);

/* In a forked child: the capture is its parent's. Whoever was writing an event is not here. */
void capf_abandon(void);

#endif
