/*
 * Stacks in the file of a capture (layout version 2): a table of frames, and a tree of them. A stack is the
 * number of its innermost node; the parent of a node is its caller. Numbers begin at 1; 0 is none.
 */
#ifndef HOLDUP_CAPTURE_STACK_LAYOUT_H
#define HOLDUP_CAPTURE_STACK_LAYOUT_H

#include "capture/capture_layout.h"

#define STK_OFFSET 384 /* in the header's page */
#define STK_FRAMES 2048
#define STK_NODES 32768
#define STK_LABEL_BYTES 120
#define STK_PATH_BYTES 184

/*
 * More kinds of events: the stack of a holder, and of a thread that waits or has waited. Their detail is its
 * number.
 */
enum stk_kind { CAP_STACK_HELD = 16, CAP_STACK_STALLED = 17 };

typedef struct {
    uint64_t frames_offset, frame_capacity, frame_bytes, frame_count;
    uint64_t nodes_offset, node_capacity, node_bytes, node_count;
    uint64_t over_ns;      /* a thread waits so long before the holder's stack is taken; 0: none is taken */
    uint64_t taken, missed;
    uint64_t first_event;  /* stacks of earlier events are lost: the tables were full and began again */
    uint64_t stack_ns;     /* CPU time that taking them cost the threads themselves ... */
    uint64_t watch_ns;     /* ... and CPU time of the watching thread */
} stk_header_t;

/* Bytes of the label are written last. */
typedef struct {
    uint32_t label_bytes, path_bytes, line, spare;
    char label[STK_LABEL_BYTES], path[STK_PATH_BYTES];
} stk_frame_t;

typedef struct {
    uint32_t parent, frame, line;
} stk_node_t;

_Static_assert(sizeof(cap_header_t) <= STK_OFFSET, "layout version 2");
_Static_assert(sizeof(stk_header_t) == 112, "layout version 2");
_Static_assert(sizeof(stk_frame_t) == 320, "layout version 2");
_Static_assert(sizeof(stk_node_t) == 12, "layout version 2");

#endif
