/*
 * The tables that the stacks of a capture are interned in. A frame is a method or a block as Ruby knows it;
 * while it is in the table it is kept alive and in its place, because its address identifies it.
 */
#ifndef HOLDUP_CAPTURE_STACK_H
#define HOLDUP_CAPTURE_STACK_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capture_stack_layout.h"
#include "shared.h"

#define STK_DEPTH 192

struct stk {
    stk_header_t *header;  /* NULL: the capture has no stacks */
    VALUE keeper;          /* marks the frames */
    /* Frames to mark: not in the header, which another thread may be unmapping; atomic. */
    uint32_t kept;
};

SHARED struct stk stk;

/* Makes the keeper, once. */
void stk_prepare(void);

/* The number of the stack; 0 for an empty one. `frames` begins with the innermost. */
uint32_t stk_intern(const VALUE *frames, const int *lines, int depth);

/* The stack of the current thread. */
uint32_t stk_current(void);

/* The stack of a thread that waits for the GVL, which the caller has. */
uint32_t stk_of(VALUE thread);

/* How much room stacks take in a file. */
uint64_t stk_bytes(bool wanted);

/* Stacks begin at `offset` in a new file. */
void stk_lay_out(uint64_t offset);

/* The file is gone. */
void stk_forget(void);

#endif
