/*
 * Making, mapping and letting go of a capture's file. What takes time (space for megabytes) is done without
 * the GVL.
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
} capf_request_t;

/* Held while a file is opened, mapped or let go, and by a fork: a child then finds all of it or nothing. */
SHARED pthread_mutex_t capf_lock;

/* Makes the file of a capture; `given` is a capf_request_t. Runs without the GVL while no capture is on. */
void *capf_make(void *given);

/*
 * Ends a capture that is switched off: it has ended when the last writer has written. Runs without the GVL,
 * because a writer may be waiting for the GVL. `done` is a bool.
 */
void *capf_let_go(void *done);

/*
 * In a forked child: lets go of the parent's capture. Threads that were writing an event do not exist here.
 */
void capf_abandon(void);

#endif
