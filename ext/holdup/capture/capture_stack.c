#include "capture/capture_stack.h"

#include <ruby/debug.h>
#include <string.h>

#include "capture/capture.h"
#include "text.h"

#define STK_FRAME_SLOTS (STK_FRAMES * 2)
#define STK_NODE_SLOTS (STK_NODES * 2)

struct stk stk;

static VALUE stk_kept_frames[STK_FRAMES];
static uint32_t stk_frame_slots[STK_FRAME_SLOTS], stk_node_slots[STK_NODE_SLOTS];

static inline stk_frame_t *stk_frames(void)
{
    return (stk_frame_t *)(cap.base + stk.header->frames_offset);
}

static inline stk_node_t *stk_nodes(void)
{
    return (stk_node_t *)(cap.base + stk.header->nodes_offset);
}

static void stk_mark(void *unused)
{
    uint32_t kept = __atomic_load_n(&stk.kept, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < kept; i++) rb_gc_mark(stk_kept_frames[i]);
}

/* All that stacks keep outside of the capture's file. */
static size_t stk_size(const void *unused)
{
    return sizeof(stk_kept_frames) + sizeof(stk_frame_slots) + sizeof(stk_node_slots);
}

/*
 * No RUBY_TYPED_FREE_IMMEDIATELY or WB_PROTECTED: the keeper is never freed, and frames are stored without
 * write barriers.
 */
static const rb_data_type_t stk_keeper_type = {
    .wrap_struct_name = "holdup stacks", .function = {.dmark = stk_mark, .dsize = stk_size}, .flags = 0};

void stk_prepare(void)
{
    if (stk.keeper) return;
    stk.keeper = TypedData_Wrap_Struct(rb_cObject, &stk_keeper_type, &stk);
    rb_gc_register_mark_object(stk.keeper);
}

static uint32_t stk_place(uint64_t key, uint32_t slots)
{
    return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & (slots - 1);
}

/* Empties the tables. Events written before lose their stacks. */
static void stk_begin(void)
{
    stk.header->first_event = __atomic_load_n(&cap.header->head, __ATOMIC_RELAXED);
    __atomic_store_n(&stk.header->node_count, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&stk.header->frame_count, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&stk.kept, 0, __ATOMIC_RELEASE);
    memset(stk_frame_slots, 0, sizeof(stk_frame_slots));
    memset(stk_node_slots, 0, sizeof(stk_node_slots));
}

static uint32_t stk_write_text(VALUE text, char *room, long limit)
{
    if (!RB_TYPE_P(text, T_STRING)) return 0;
    long bytes = RSTRING_LEN(text);
    /* The end of a path says more than its beginning. */
    if (bytes > limit) text = rb_str_subseq(text, bytes - limit, limit);
    return (uint32_t)text_sanitise(text, room, (size_t)limit).bytes;
}

static uint32_t stk_add_frame(VALUE frame, uint32_t place)
{
    uint64_t index = stk.header->frame_count;
    stk_frame_t *entry = &stk_frames()[index];
    bool named = RB_TYPE_P(frame, T_ARRAY); /* by another sampler (capture_samples.h) */
    VALUE line = named ? RARRAY_AREF(frame, 2) : rb_profile_frame_first_lineno(frame);
    entry->path_bytes = stk_write_text(named ? RARRAY_AREF(frame, 1) : rb_profile_frame_path(frame),
                                       entry->path, STK_PATH_BYTES);
    entry->line = FIXNUM_P(line) ? (uint32_t)FIX2LONG(line) : 0;
    entry->label_bytes = stk_write_text(named ? RARRAY_AREF(frame, 0) : rb_profile_frame_full_label(frame),
                                        entry->label, STK_LABEL_BYTES);
    stk_kept_frames[index] = frame;
    __atomic_store_n(&stk.kept, (uint32_t)index + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&stk.header->frame_count, index + 1, __ATOMIC_RELEASE);
    return stk_frame_slots[place] = (uint32_t)index + 1;
}

static uint32_t stk_frame(VALUE frame)
{
    uint32_t place = stk_place((uint64_t)frame, STK_FRAME_SLOTS);
    for (uint32_t number; (number = stk_frame_slots[place]); place = (place + 1) & (STK_FRAME_SLOTS - 1))
        if (stk_kept_frames[number - 1] == frame) return number;
    return stk_add_frame(frame, place);
}

static uint32_t stk_node(stk_node_t node)
{
    stk_node_t *nodes = stk_nodes();
    uint64_t key = (((uint64_t)node.parent * STK_FRAMES + node.frame) << 20) ^ node.line;
    uint32_t place = stk_place(key, STK_NODE_SLOTS);
    for (uint32_t number; (number = stk_node_slots[place]); place = (place + 1) & (STK_NODE_SLOTS - 1))
        if (!memcmp(&nodes[number - 1], &node, sizeof(node))) return number;
    uint64_t index = stk.header->node_count;
    nodes[index] = node;
    __atomic_store_n(&stk.header->node_count, index + 1, __ATOMIC_RELEASE);
    return stk_node_slots[place] = (uint32_t)index + 1;
}

uint32_t stk_intern(const VALUE *frames, const int *lines, int depth)
{
    if (stk.header->frame_count + STK_DEPTH > STK_FRAMES || stk.header->node_count + STK_DEPTH > STK_NODES)
        stk_begin();
    uint32_t number = 0;
    for (int i = depth; i-- > 0;)
        number = stk_node((stk_node_t){number, stk_frame(frames[i]), lines[i] > 0 ? (uint32_t)lines[i] : 0});
    return number;
}

uint32_t stk_current(void)
{
    VALUE frames[STK_DEPTH];
    int lines[STK_DEPTH];
    return stk_intern(frames, lines, rb_profile_frames(0, STK_DEPTH, frames, lines));
}

uint32_t stk_of(VALUE thread)
{
    VALUE frames[STK_DEPTH];
    int lines[STK_DEPTH];
    return stk_intern(frames, lines, rb_profile_thread_frames(thread, 0, STK_DEPTH, frames, lines));
}

uint64_t stk_bytes(bool wanted)
{
    return wanted ? STK_FRAMES * sizeof(stk_frame_t) + STK_NODES * sizeof(stk_node_t) : 0;
}

void stk_lay_out(uint64_t offset)
{
    stk_header_t *h = (stk_header_t *)(cap.base + STK_OFFSET);
    h->frames_offset = offset;
    h->frame_capacity = STK_FRAMES;
    h->frame_bytes = sizeof(stk_frame_t);
    h->nodes_offset = offset + STK_FRAMES * sizeof(stk_frame_t);
    h->node_capacity = STK_NODES;
    h->node_bytes = sizeof(stk_node_t);
    stk.header = h;
    stk_begin();
}

void stk_forget(void)
{
    __atomic_store_n(&stk.kept, 0, __ATOMIC_RELEASE);
    stk.header = NULL;
}
