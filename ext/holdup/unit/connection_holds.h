/*
 * Whom each wait for a connection of a pool was for. A pool remembers who holds its connections and, while
 * somebody waits, who has held some. When a wait ends, it is split among all of these in proportion to how
 * long each held connections in the meantime, to the nanosecond: the parts add up to the wait. What nobody is
 * known to have held is unknown (pairs.h).
 *
 * A holder is a party: it keeps a reference from the checkout on, so it may end before it gives the
 * connection back, and still is whom others wait for. Times are ns of CLOCK_MONOTONIC. The caller holds the
 * GVL, and all of a pool's threads have the same one.
 */
#ifndef HOLDUP_CONNECTION_HOLDS_H
#define HOLDUP_CONNECTION_HOLDS_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/pairs.h"

#define CONNECTION_ENDED 1024 /* a wait passes over as many holds of a pool */

typedef struct {
    uint64_t from, to;   /* `to`: UINT64_MAX while it lasts; 0: the place is free */
    pair_party_t *party; /* NULL: not known */
} connection_hold_t;

typedef struct {
    uint32_t generation; /* pairs_generation: parties of an earlier one are not there any more */
    uint32_t waiting;
    uint32_t room;       /* of `open`, which grows */
    connection_hold_t *open;
    connection_hold_t *ended; /* a ring, made for the first one that ends while somebody waits */
    uint64_t first, next;     /* numbers of its holds */
    uint64_t forgotten;       /* when the last hold ended that had to make room */
} connection_holds_t;

/* A connection is taken; returns its place, or a negative number when out of memory. */
int64_t connection_take(connection_holds_t *holds, pair_party_t *party, uint64_t t);

/* It is given back. Does nothing when it was taken before a fork. */
void connection_give_back(connection_holds_t *holds, int64_t place, uint64_t t);

/* A wait begins: holds that end from now on are kept. */
void connection_wait_begins(connection_holds_t *holds);

/* The wait ends. `victim`: who has waited, and is charged; NULL: nobody is. */
void connection_wait_ends(connection_holds_t *holds, pair_party_t *victim, uint64_t from, uint64_t to);

/* The pool is gone. */
void connections_free(connection_holds_t *holds);

#endif
