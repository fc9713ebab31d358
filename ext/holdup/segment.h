/*
 * The segment: one memory-mapped file for each process, on tmpfs, that the collector reads while the process writes.
 * Recording a unit is a memory write under the GVL; a killed process loses nothing that it had recorded.
 *
 * All or nothing: the new values of every word that a unit changes are first written to a redo log, then the sequence
 * word turns odd, the words are set, and it turns even. A reader that finds it odd on a dead process applies the log
 * again. docs/segment.md has the layout; lib/holdup/segment/layout.rb the same for the reader.
 *
 * Space is taken with posix_fallocate before a page is touched: a full tmpfs means fewer series, never SIGBUS.
 */
#ifndef HOLDUP_SEGMENT_H
#define HOLDUP_SEGMENT_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "histogram.h"
#include "unit.h"

#define SEG_MAGIC "HOLDUPSG"
#define SEG_VERSION 1
#define SEG_HEADER_BYTES 4096
#define SEG_SETTING_OFFSET 4096
#define SEG_SETTING_BYTES 4096
#define SEG_LOG_OFFSET 8192
#define SEG_LOG_ENTRIES 256
#define SEG_RING_OFFSET 12288
#define SEG_NAME_BYTES 200
#define SEG_QUEUE_BYTES 64
#define SEG_COUNTERS 16
#define SEG_HISTOGRAMS 6
#define SEG_GROW_SLOTS 8
#define SEG_ACCOUNTS 64
#define SEG_PAGE 4096
#define SEG_UNKNOWN UINT64_MAX

enum seg_kind { SEG_REQUEST = 1, SEG_JOB, SEG_ACCOUNT, SEG_NESTED, SEG_OVERFLOW };
enum seg_counter { SEG_CPU, SEG_STARVED, SEG_IO, SEG_LOCK, SEG_SLEEP, SEG_NATIVE, SEG_GC, SEG_CAUSED, SEG_ACQUISITIONS,
                   SEG_PREEMPTIONS, SEG_SQUARES };
enum seg_histogram { SEG_WALL, SEG_RUNNING, SEG_STALLED, SEG_IDLE, SEG_QUEUED, SEG_LONGEST };
enum seg_process_counter { SEG_P_HANDOFF, SEG_P_UNITS, SEG_P_NESTED, SEG_P_DISCARDED, SEG_P_OVERFLOWED, SEG_P_BACKWARD,
                           SEG_P_RESUMED, SEG_P_SUSPENDED, SEG_P_HOLDER, SEG_P_QUEUED_CLAMPED, SEG_P_ABANDONED,
                           SEG_P_SANITISED, SEG_P_GROW_FAILED, SEG_P_GUARD, SEG_P_ACQUISITIONS, SEG_P_GC, SEG_P_RUNNING,
                           SEG_P_STALLED, SEG_P_IDLE };

typedef struct {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t pid, process_start, created_ns, seq, series_count, series_capacity, series_offset, series_bytes, ring_offset,
        ring_capacity, ring_entry_bytes, ring_head, log_offset, log_length, setting_offset, setting_seq, setting_length,
        state, heartbeat_ns;
    int64_t worker_index;
    uint64_t generation, parent_pid;
    uint64_t spare[8];
    uint64_t counters[32];
    uint64_t gauges[64];
} seg_header_t;

typedef struct {
    uint32_t kind, name_bytes, queue_bytes, spare;
    char name[SEG_NAME_BYTES];
    char queue[SEG_QUEUE_BYTES];
    uint64_t count, errors;
    uint64_t counters[SEG_COUNTERS];
    uint64_t padding[11];
    histogram_t histograms[SEG_HISTOGRAMS];
    uint64_t tail[16];
} seg_series_t;

typedef struct {
    uint64_t started_ns, series, wall, running, cpu, idle, stalled, acquisitions, longest_hold, gc, queued, in_flight_milli;
} seg_ring_t;

typedef struct {
    uint64_t offset, value;
} seg_redo_t;

_Static_assert(offsetof(seg_header_t, seq) == 40, "layout version 1");
_Static_assert(offsetof(seg_header_t, parent_pid) == 184, "layout version 1");
_Static_assert(offsetof(seg_header_t, counters) == 256, "layout version 1");
_Static_assert(offsetof(seg_header_t, gauges) == 512, "layout version 1");
_Static_assert(offsetof(seg_series_t, count) == 280, "layout version 1");
_Static_assert(offsetof(seg_series_t, histograms) == 512, "layout version 1");
_Static_assert(sizeof(seg_series_t) == 25600, "layout version 1");
_Static_assert(sizeof(seg_ring_t) == 96, "layout version 1");

typedef struct {
    const char *text;
    size_t bytes;
} seg_text_t;

static struct {
    char *base;             /* NULL: no segment */
    size_t mapped;
    int file;
    uint64_t allocated;     /* series slots that have space */
    uint64_t units_limit;   /* series for units; accounts and the reserved ones come on top */
    uint64_t unit_series;
    uint16_t *index;        /* hash of (kind, queue, name) -> slot + 1 */
    uint32_t index_mask;
    uint64_t nested, overflow; /* slot + 1 of the reserved series */
    uint64_t grow_failed;
    bool lock;
    seg_redo_t *log;
    uint64_t logged;
} seg = {.file = -1};

#define SEG_HEADER ((seg_header_t *)seg.base)

static inline void seg_lock(void)
{
    blame_acquire(&seg.lock);
}

static inline void seg_unlock(void)
{
    blame_release(&seg.lock);
}

static inline seg_series_t *seg_slot(uint64_t slot)
{
    return (seg_series_t *)(seg.base + SEG_HEADER->series_offset) + slot;
}

/* --- the redo log --- */

static inline void seg_set(uint64_t *word, uint64_t value)
{
    seg_redo_t *entry = &seg.log[seg.logged++];
    entry->offset = (uint64_t)((char *)word - seg.base);
    entry->value = value;
}

static inline void seg_add(uint64_t *word, uint64_t more)
{
    if (more) seg_set(word, *word + more);
}

static void seg_commit(void)
{
    seg_header_t *header = SEG_HEADER;
    __atomic_store_n(&header->log_length, seg.logged, __ATOMIC_RELEASE);
    __atomic_store_n(&header->seq, header->seq + 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint64_t i = 0; i < seg.logged; i++)
        __atomic_store_n((uint64_t *)(seg.base + seg.log[i].offset), seg.log[i].value, __ATOMIC_RELAXED);
    __atomic_store_n(&header->seq, header->seq + 1, __ATOMIC_RELEASE);
    seg.logged = 0;
}

static void seg_observe(histogram_t *h, uint64_t value)
{
    seg_set(&h->count, h->count + 1);
    seg_add(&h->sum, value);
    if (h->count == 0 || value < h->min) seg_set(&h->min, value);
    if (value > h->max) seg_set(&h->max, value);
    if (value <= HIST_ZERO_MAX) {
        seg_set(&h->zero, h->zero + 1);
        return;
    }
    uint64_t slot = hist_slot(value);
    seg_set(&h->buckets[slot], h->buckets[slot] + 1);
    if (slot < h->lo) seg_set(&h->lo, slot);
    if (slot > h->hi) seg_set(&h->hi, slot);
}

/* --- the series table --- */

static inline uint64_t seg_mix(uint64_t hash, seg_text_t text)
{
    for (size_t i = 0; i < text.bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, text.text + i, text.bytes - i < 8 ? text.bytes - i : 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15); /* Fibonacci hashing, a word at a time */
        hash ^= hash >> 29;
    }
    return hash;
}

static uint32_t seg_hash(enum seg_kind kind, seg_text_t name, seg_text_t queue)
{
    uint64_t hash = seg_mix(seg_mix((uint64_t)kind + 1, name) + queue.bytes, queue);
    return (uint32_t)(hash ^ (hash >> 32));
}

static bool seg_same(const seg_series_t *s, enum seg_kind kind, seg_text_t name, seg_text_t queue)
{
    return s->kind == (uint32_t)kind && s->name_bytes == name.bytes && s->queue_bytes == queue.bytes &&
           !memcmp(s->name, name.text, name.bytes) && !memcmp(s->queue, queue.text, queue.bytes);
}

/* The place of a series in the index: its own, or the free one where it belongs. */
static uint16_t *seg_place(enum seg_kind kind, seg_text_t name, seg_text_t queue)
{
    for (uint32_t i = seg_hash(kind, name, queue);; i++) {
        uint16_t *place = &seg.index[i & seg.index_mask];
        if (!*place || seg_same(seg_slot(*place - 1u), kind, name, queue)) return place;
    }
}

/* Space for `bytes` from `from`; 0 or an errno. Without posix_fallocate (macOS) the disk is trusted to have it. */
static int seg_allocate(int file, off_t from, off_t bytes)
{
#ifdef HAVE_POSIX_FALLOCATE
    return posix_fallocate(file, from, bytes);
#else
    return ftruncate(file, from + bytes) ? errno : 0;
#endif
}

/* Space for one more slot, taken in chunks before any page is touched. */
static bool seg_room(void)
{
    seg_header_t *header = SEG_HEADER;
    if (header->series_count < seg.allocated) return true;
    if (seg.allocated >= header->series_capacity) return false;
    uint64_t slots = header->series_capacity - seg.allocated;
    if (slots > SEG_GROW_SLOTS) slots = SEG_GROW_SLOTS;
    off_t from = (off_t)(header->series_offset + seg.allocated * sizeof(seg_series_t));
    if (seg_allocate(seg.file, from, (off_t)(slots * sizeof(seg_series_t)))) {
        seg.grow_failed++;
        return false;
    }
    seg.allocated += slots;
    return true;
}

/* Slot + 1 of a new series, or 0 when there is no room. Its words are set before the count makes it visible. */
static uint64_t seg_append(enum seg_kind kind, seg_text_t name, seg_text_t queue)
{
    seg_header_t *header = SEG_HEADER;
    if (!seg_room()) return 0;
    seg_series_t *s = seg_slot(header->series_count);
    s->kind = (uint32_t)kind;
    s->name_bytes = (uint32_t)name.bytes;
    s->queue_bytes = (uint32_t)queue.bytes;
    memcpy(s->name, name.text, name.bytes);
    memcpy(s->queue, queue.text, queue.bytes);
    for (int i = 0; i < SEG_HISTOGRAMS; i++) s->histograms[i].lo = HIST_BUCKETS;
    *seg_place(kind, name, queue) = (uint16_t)(header->series_count + 1);
    __atomic_store_n(&header->series_count, header->series_count + 1, __ATOMIC_RELEASE);
    return header->series_count;
}

static uint64_t seg_series(enum seg_kind kind, seg_text_t name, seg_text_t queue)
{
    uint16_t found = *seg_place(kind, name, queue);
    return found ? found : seg_append(kind, name, queue);
}

static seg_text_t seg_text(const char *text)
{
    seg_text_t t = {text, strlen(text)};
    return t;
}

/* The series of a unit; beyond the limit all share one, which says so. */
static uint64_t seg_unit_series(enum seg_kind kind, seg_text_t name, seg_text_t queue)
{
    uint16_t found = *seg_place(kind, name, queue);
    uint64_t slot = found;
    if (!slot && seg.unit_series < seg.units_limit) {
        slot = seg_append(kind, name, queue);
        if (slot) seg.unit_series++;
    }
    if (slot) return slot;
    seg_set(&SEG_HEADER->counters[SEG_P_OVERFLOWED], SEG_HEADER->counters[SEG_P_OVERFLOWED] + 1);
    return seg.overflow;
}

/* --- recording --- */

static void seg_sums(seg_series_t *s, const measurement_t *m)
{
    const uint64_t sums[] = {m->cpu_ns, m->starved_ns, m->io_ns, m->lock_ns, m->sleep_ns, m->native_ns, m->gc_ns,
                             m->caused_ns, m->acquisitions, m->preemptions, m->hold_squares_us2};
    for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) seg_add(&s->counters[i], sums[i]);
}

/* The entry needs no log: it is not there until the head has moved. */
static void seg_push(uint64_t slot, const measurement_t *m)
{
    seg_header_t *header = SEG_HEADER;
    seg_ring_t *ring = (seg_ring_t *)(seg.base + SEG_RING_OFFSET);
    ring[header->ring_head % header->ring_capacity] = (seg_ring_t){
        m->started_ns, slot - 1, m->wall_ns, m->running_ns, m->cpu_ns, m->idle_ns, m->stalled_ns, m->acquisitions,
        m->longest_hold_ns, m->gc_ns, m->queued_ns, m->in_flight_milli};
    seg_set(&header->ring_head, header->ring_head + 1);
}

static void seg_record(enum seg_kind kind, seg_text_t name, seg_text_t queue, const measurement_t *m, bool error)
{
    uint64_t slot = seg_unit_series(kind, name, queue);
    if (!slot) {
        seg.logged = 0;
        return;
    }
    seg_series_t *s = seg_slot(slot - 1);
    seg_set(&s->count, s->count + 1);
    seg_add(&s->errors, error);
    seg_sums(s, m);
    seg_observe(&s->histograms[SEG_WALL], m->wall_ns);
    seg_observe(&s->histograms[SEG_RUNNING], m->running_ns);
    seg_observe(&s->histograms[SEG_STALLED], m->stalled_ns);
    seg_observe(&s->histograms[SEG_IDLE], m->idle_ns);
    if (m->queued_ns != SEG_UNKNOWN) seg_observe(&s->histograms[SEG_QUEUED], m->queued_ns);
    seg_observe(&s->histograms[SEG_LONGEST], m->longest_hold_ns);
    seg_push(slot, m);
    seg_set(&SEG_HEADER->counters[SEG_P_UNITS], SEG_HEADER->counters[SEG_P_UNITS] + 1);
    seg_commit();
}

/* What units counted more than once: readers take it off the totals. Sums only. */
static void seg_record_nested(const measurement_t *m, uint32_t count)
{
    seg_series_t *s = seg_slot(seg.nested - 1);
    seg_set(&s->count, s->count + count);
    seg_sums(s, m);
    seg_add(&s->histograms[SEG_WALL].sum, m->wall_ns);
    seg_add(&s->histograms[SEG_RUNNING].sum, m->running_ns);
    seg_add(&s->histograms[SEG_STALLED].sum, m->stalled_ns);
    seg_add(&s->histograms[SEG_IDLE].sum, m->idle_ns);
    seg_set(&SEG_HEADER->counters[SEG_P_NESTED], SEG_HEADER->counters[SEG_P_NESTED] + count);
    seg_commit();
}

/*
 * Absolute numbers are converted from ticks anew at each tick, with a rate that is known ever better: they can come out
 * some ns lower than the last time. A reader takes a number that goes back for damage, so it stays until it is passed.
 */
static void seg_raise(uint64_t *field, uint64_t value)
{
    if (value > *field) seg_set(field, value);
}

/* The same for the header's counters, which need no log: each is read alone. */
static void seg_lift(uint64_t *counter, uint64_t value)
{
    if (value > *counter) __atomic_store_n(counter, value, __ATOMIC_RELAXED);
}

/* A thread's time outside of units: absolute sums, rewritten at each tick. */
static void seg_record_account(const char *name, const measurement_t *m)
{
    uint64_t slot = seg_series(SEG_ACCOUNT, seg_text(name), seg_text(""));
    if (!slot) return;
    seg_series_t *s = seg_slot(slot - 1);
    const uint64_t sums[] = {0, 0, m->io_ns, m->lock_ns, m->sleep_ns, m->native_ns, m->gc_ns, m->caused_ns,
                             m->acquisitions, m->preemptions, m->hold_squares_us2};
    for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) seg_raise(&s->counters[i], sums[i]);
    seg_raise(&s->histograms[SEG_WALL].sum, m->wall_ns);
    seg_raise(&s->histograms[SEG_RUNNING].sum, m->running_ns);
    seg_raise(&s->histograms[SEG_STALLED].sum, m->stalled_ns);
    seg_raise(&s->histograms[SEG_IDLE].sum, m->idle_ns);
    seg_commit();
}

/* --- opening and closing --- */

static uint64_t seg_process_start(void)
{
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "r");
    if (!file) return 0;
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    char *field = strrchr(text, ')'); /* the command may hold spaces; field 22 is the 20th after it */
    for (int i = 0; field && i < 20; i++) field = strchr(field + 1, ' ');
    return field ? strtoull(field + 1, NULL, 10) : 0;
}

static void seg_forget(void)
{
    if (seg.base) munmap(seg.base, seg.mapped);
    if (seg.file >= 0) close(seg.file);
    free(seg.index);
    memset(&seg, 0, sizeof(seg));
    seg.file = -1;
}

static bool seg_make_index(uint64_t capacity)
{
    uint32_t size = 64;
    while (size < capacity * 2) size *= 2;
    seg.index = calloc(size, sizeof(*seg.index));
    seg.index_mask = size - 1;
    return seg.index != NULL;
}

static void seg_write_header(uint64_t capacity, uint64_t ring, int64_t worker, uint64_t generation)
{
    seg_header_t *h = SEG_HEADER;
    uint64_t ring_end = SEG_RING_OFFSET + ring * sizeof(seg_ring_t);
    h->version = SEG_VERSION;
    h->header_bytes = SEG_HEADER_BYTES;
    h->pid = (uint64_t)getpid();
    h->process_start = seg_process_start();
    h->created_ns = h->heartbeat_ns = clk_read_ns(CLOCK_REALTIME);
    h->series_capacity = capacity;
    h->series_offset = (ring_end + SEG_PAGE - 1) / SEG_PAGE * SEG_PAGE;
    h->series_bytes = sizeof(seg_series_t);
    h->ring_offset = SEG_RING_OFFSET;
    h->ring_capacity = ring;
    h->ring_entry_bytes = sizeof(seg_ring_t);
    h->log_offset = SEG_LOG_OFFSET;
    h->setting_offset = SEG_SETTING_OFFSET;
    h->worker_index = worker;
    h->generation = generation;
    h->parent_pid = (uint64_t)getppid();
    for (int i = 0; i < 64; i++) h->gauges[i] = SEG_UNKNOWN;
}

/* A file next to `path` that gets its name when it is whole. */
static int seg_create(const char *path, char *hidden, size_t room)
{
    int length = snprintf(hidden, room, "%s.new", path);
    if (length < 0 || (size_t)length >= room) {
        errno = ENAMETOOLONG;
        return -1;
    }
    unlink(hidden); /* its name holds our pid: a dead namesake's */
    return open(hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Makes the file at `path`; 0 or an errno. A reader never sees half a header. */
static int seg_open(const char *path, uint64_t limit, uint64_t ring, int64_t worker, uint64_t generation)
{
    char hidden[4096];
    uint64_t capacity = limit + SEG_ACCOUNTS + 2;
    size_t fixed = (SEG_RING_OFFSET + ring * sizeof(seg_ring_t) + SEG_PAGE - 1) / SEG_PAGE * SEG_PAGE;
    if (access(path, F_OK) == 0) return EEXIST;
    int file = seg_create(path, hidden, sizeof(hidden));
    if (file < 0) return errno;
    size_t mapped = fixed + capacity * sizeof(seg_series_t);
    int failed = seg_allocate(file, 0, (off_t)fixed);
    void *base = failed ? MAP_FAILED : mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (base == MAP_FAILED) {
        if (!failed) failed = errno;
        close(file);
        unlink(hidden);
        return failed;
    }
    seg_forget();
    seg.base = base;
    seg.mapped = mapped;
    seg.file = file;
    seg.units_limit = limit;
    seg.log = (seg_redo_t *)(seg.base + SEG_LOG_OFFSET);
    seg_write_header(capacity, ring, worker, generation);
    if (seg_make_index(capacity)) {
        seg.overflow = seg_append(SEG_OVERFLOW, seg_text("(series beyond the limit)"), seg_text(""));
        seg.nested = seg_append(SEG_NESTED, seg_text("(nested)"), seg_text(""));
    }
    memcpy(SEG_HEADER->magic, SEG_MAGIC, sizeof(SEG_HEADER->magic));
    failed = !seg.nested ? ENOSPC : rename(hidden, path) ? errno : 0;
    if (!failed) return 0;
    seg_forget();
    unlink(hidden);
    return failed;
}

/* False when the text does not fit. */
static bool seg_write_setting(const char *json, size_t bytes)
{
    if (bytes > SEG_SETTING_BYTES) return false;
    seg_header_t *header = SEG_HEADER;
    __atomic_store_n(&header->setting_seq, header->setting_seq + 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memcpy(seg.base + SEG_SETTING_OFFSET, json, bytes);
    header->setting_length = bytes;
    __atomic_store_n(&header->setting_seq, header->setting_seq + 1, __ATOMIC_RELEASE);
    return true;
}

static void seg_close(void)
{
    if (!seg.base) return;
    __atomic_store_n(&SEG_HEADER->state, 1, __ATOMIC_RELEASE);
    seg_forget();
}

#endif
