#include "unit/followed_objects.h"

#if FOLLOWED_EXIST

#include <stdlib.h>

#include "clock.h"
#include "random.h"

#define FOLLOWED_ENTRIES 32768
#define FOLLOWED_OBJECTS 8192 /* of one watch; of a larger one every second, fourth, ... */
#define FOLLOWED_LARGE 65536  /* bytes: a larger one is always followed */
#define FOLLOWED_LARGES 1024  /* at most so many of them */
#define FOLLOWED_FLAGS 8

/* CRuby exports them for its own objspace. None of them allocates. */
size_t rb_obj_memsize_of(VALUE object);
size_t rb_obj_gc_flags(VALUE object, ID *flags, size_t most);
int rb_objspace_internal_object_p(VALUE object);

/* An object, which is not kept alive. */
typedef struct {
    VALUE object;
    uint32_t watch; /* number */
    bool old;       /* only a major collection frees it */
    bool large;     /* stands for itself alone, not for `stride` objects */
} followed_t;

static struct {
    followed_t *entries;
    uint32_t used;
    uint32_t first;        /* of the latest watch */
    uint32_t watch;
    uint32_t stride, turn; /* one of `stride` objects is followed */
    uint32_t larges;
    uint64_t count;
    VALUE latest;          /* whose size is not known yet; 0: none */
    bool latest_entered;
    VALUE mover;           /* is asked to update references when objects have moved */
    ID marked, old;
    uint64_t random;
} followed;

/*
 * Inside a unit its object may be under construction. Those of Ruby's own types can be asked for their size
 * all the same; the extension that owns a T_DATA may not expect the question yet.
 */
static size_t followed_size(VALUE object)
{
    switch (RB_BUILTIN_TYPE(object)) {
    case RUBY_T_STRING:
    case RUBY_T_ARRAY:
    case RUBY_T_HASH:
    case RUBY_T_OBJECT:
    case RUBY_T_STRUCT:
        return rb_obj_memsize_of(object);
    default:
        return 0;
    }
}

static void followed_mark_large(followed_t *f)
{
    if (f->large || followed.larges == FOLLOWED_LARGES || followed_size(f->object) < FOLLOWED_LARGE) return;
    f->large = true;
    followed.larges++;
}

/*
 * Keeps every second of this watch's objects, and the large ones. Which ones is chance: a unit often
 * allocates in one order.
 */
static void followed_thin(void)
{
    uint32_t turn = random_next(&followed.random) & 1, used = followed.first;
    for (uint32_t i = followed.first; i < followed.used; i++) {
        followed_t *f = &followed.entries[i];
        if (followed.stride == 1) followed_mark_large(f);
        if (f->large || turn++ & 1) followed.entries[used++] = *f;
    }
    followed.used = used;
    followed.stride *= 2;
    followed.turn = (uint32_t)(random_next(&followed.random) % followed.stride);
}

bool followed_have_room(void)
{
    return followed.used + FOLLOWED_OBJECTS <= FOLLOWED_ENTRIES;
}

void followed_begin(uint32_t watch)
{
    followed.watch = watch;
    followed.first = followed.used;
    followed.stride = 1;
    followed.turn = 0;
    followed.larges = 0;
    followed.count = 0;
    followed.latest = 0;
}

void followed_drop(void)
{
    followed.used = followed.first;
}

void followed_clear(void)
{
    followed.used = followed.first = 0;
}

void followed_size_latest(void)
{
    if (followed.stride == 1 || !followed.latest) return;
    followed_t latest = {followed.latest, followed.watch, false, false};
    followed_t *f = followed.latest_entered ? &followed.entries[followed.used - 1] : &latest;
    followed_mark_large(f);
    if (!latest.large || followed.used - followed.first == FOLLOWED_OBJECTS) return;
    followed.entries[followed.used++] = latest;
}

void followed_leave_latest(void)
{
    followed.latest = 0;
}

void followed_add(VALUE object)
{
    followed_size_latest();
    followed.latest = object;
    followed.latest_entered = false;
    if (followed.turn-- > 0) return;
    followed.turn = followed.stride - 1;
    if (followed.used - followed.first == FOLLOWED_OBJECTS) followed_thin();
    followed.entries[followed.used++] = (followed_t){object, followed.watch, false, false};
    followed.latest_entered = true;
    followed.count++;
}

/* `keep`: whether an entry stays. Neither it nor this allocates. */
static void followed_select(uint32_t from, bool (*keep)(followed_t *))
{
    uint32_t used = from, first = followed.first;
    for (uint32_t i = from; i < followed.used; i++) {
        if (i == followed.first) first = used;
        if (keep(&followed.entries[i])) followed.entries[used++] = followed.entries[i];
    }
    followed.first = followed.first < followed.used ? first : used;
    followed.used = used;
}

static bool followed_is_marked(followed_t *f)
{
    ID flags[FOLLOWED_FLAGS];
    size_t count = rb_obj_gc_flags(f->object, flags, FOLLOWED_FLAGS);
    bool is_marked = false;
    f->old = false;
    for (size_t i = 0; i < count; i++) {
        is_marked |= flags[i] == followed.marked;
        f->old |= flags[i] == followed.old;
    }
    return is_marked;
}

static bool followed_is_old_or_marked(followed_t *f)
{
    return f->old || followed_is_marked(f);
}

static bool followed_is_visible(followed_t *f)
{
    return !rb_objspace_internal_object_p(f->object);
}

void followed_select_marked(bool major)
{
    followed_select(0, major ? followed_is_marked : followed_is_old_or_marked);
}

void followed_select_visible(void)
{
    followed_select(followed.first, followed_is_visible);
}

uint64_t followed_bytes(void)
{
    uint64_t drawn = 0, large = 0;
    for (uint32_t i = followed.first; i < followed.used; i++) {
        followed_t *f = &followed.entries[i];
        if (followed_is_visible(f)) *(f->large ? &large : &drawn) += followed_size(f->object);
    }
    return drawn * followed.stride + large;
}

uint32_t followed_stride(void)
{
    return followed.stride;
}

uint64_t followed_count(void)
{
    return followed.count;
}

typedef struct {
    uint32_t watch, objects;
    size_t bytes, large_bytes;
} followed_sum_t;

VALUE followed_sums(uint32_t last)
{
    uint32_t count = 0;
    VALUE found = rb_hash_new(), memory;
    size_t size = ((size_t)followed.used + 1) * sizeof(followed_sum_t);
    followed_sum_t *sums = rb_alloc_tmp_buffer(&memory, (long)size);
    for (uint32_t i = 0; i < followed.used; i++) { /* allocates nothing */
        followed_t *f = &followed.entries[i];
        if (f->watch > last) break;
        if (!count || sums[count - 1].watch != f->watch) sums[count++] = (followed_sum_t){f->watch, 0, 0, 0};
        followed_sum_t *sum = &sums[count - 1];
        sum->objects++;
        *(f->large ? &sum->large_bytes : &sum->bytes) += rb_obj_memsize_of(f->object);
    }
    for (uint32_t i = 0; i < count; i++) {
        VALUE sum = rb_ary_new_from_args(3, UINT2NUM(sums[i].objects), SIZET2NUM(sums[i].bytes),
                                         SIZET2NUM(sums[i].large_bytes));
        rb_hash_aset(found, UINT2NUM(sums[i].watch), sum);
    }
    rb_free_tmp_buffer(&memory);
    return found;
}

void followed_forget(uint32_t last)
{
    uint32_t from = 0;
    while (from < followed.used && followed.entries[from].watch <= last) from++;
    for (uint32_t i = from; i < followed.used; i++) followed.entries[i - from] = followed.entries[i];
    followed.used -= from;
    followed.first -= followed.first < from ? followed.first : from;
}

static void followed_move(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < followed.used; i++) {
        followed.entries[i].object = rb_gc_location(followed.entries[i].object);
    }
}

static const rb_data_type_t followed_mover_type = {
    .wrap_struct_name = "holdup/followed",
    .function = {.dcompact = followed_move},
};

/* Another collector may be loaded instead of CRuby's own. */
bool followed_are_possible(void)
{
    ID flags[FOLLOWED_FLAGS];
    if (rb_obj_gc_flags(rb_cObject, flags, FOLLOWED_FLAGS) == 0) return false;
    if (!followed.entries) followed.entries = calloc(FOLLOWED_ENTRIES, sizeof(*followed.entries));
    return followed.entries != NULL;
}

void followed_init(void)
{
    followed.random = (uint64_t)(uintptr_t)&followed ^ clk_read_ns(CLOCK_REALTIME);
    followed.marked = rb_intern("marked");
    followed.old = rb_intern("old");
    followed_are_possible(); /* its first call makes symbols */
    followed.mover = TypedData_Wrap_Struct(rb_cObject, &followed_mover_type, &followed);
    rb_gc_register_address(&followed.mover);
}

#endif
