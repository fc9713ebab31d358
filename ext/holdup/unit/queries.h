/*
 * Queries of Active Record, whose notifications or log say when one ends. Each is a call (calls.h) of the
 * kind that its connection has, and may be one that a unit repeats (repeats.h).
 */
#ifndef HOLDUP_QUERIES_H
#define HOLDUP_QUERIES_H

#include <stdint.h>

#include "shared.h"

/* How often garbage collection has begun or gone on: since then an object may have moved, or be gone. */
SHARED uint64_t query_collections;

#endif
