#include "segment/segment_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "private_file.h"
#include "segment/segment.h"
#include "segment/segment_name.h"
#include "segment/segment_open_units.h"
#include "segment/segment_pairs.h"

/*
 * The namespace of our pid; 0 when unknown. A reader in the same one sees at once that this process is dead.
 */
static uint64_t seg_namespace(void)
{
    struct stat found;
    return stat("/proc/self/ns/pid", &found) == 0 ? (uint64_t)found.st_ino : 0;
}

void seg_forget(void)
{
    table_attach(NULL);
    if (seg.base) munmap(seg.base, seg.mapped);
    if (seg_has_file()) close(seg.file);
    free(seg.index);
    free(seg.pair_index);
    free(seg.slowest);
    memset(&seg, 0, sizeof(seg));
    seg.file = -1;
}

/* An index with room for twice as many entries; its mask is the number of its places - 1. */
static uint16_t *seg_make_index(uint64_t entries, uint32_t *mask)
{
    uint32_t size = 64;
    while (size < entries * 2) size *= 2;
    *mask = size - 1;
    return calloc(size, sizeof(uint16_t));
}

static bool seg_make_indexes(uint64_t capacity)
{
    seg.index = seg_make_index(capacity, &seg.index_mask);
    seg.pair_index = seg_make_index(seg.pair_rows, &seg.pair_mask);
    seg.slowest = calloc(capacity, sizeof(*seg.slowest));
    return seg.index && seg.pair_index && seg.slowest;
}

static uint64_t seg_whole_pages(uint64_t bytes)
{
    return (bytes + SEG_PAGE - 1) / SEG_PAGE * SEG_PAGE;
}

/* The pairs take whole pages. */
static uint64_t seg_ring_offset(uint64_t pairs)
{
    return SEG_PAIRS_OFFSET + seg_whole_pages(pairs * sizeof(seg_pair_t));
}

static uint64_t seg_slowest_offset(seg_room_t room)
{
    return seg_whole_pages(seg_ring_offset(room.pairs) + room.ring * sizeof(seg_ring_t));
}

static uint64_t seg_open_offset(seg_room_t room)
{
    return seg_slowest_offset(room) + seg_whole_pages(sizeof(seg_slowest_list_t));
}

static uint64_t seg_series_offset(seg_room_t room)
{
    return seg_open_offset(room) + sizeof(seg_open_table_t);
}

static void seg_write_header(uint64_t capacity, seg_room_t room, int64_t worker, uint64_t generation)
{
    seg_header_t *h = SEG_HEADER;
    uint64_t ring_offset = seg_ring_offset(room.pairs);
    h->version = SEG_VERSION;
    h->header_bytes = SEG_HEADER_BYTES;
    h->pid = (uint64_t)getpid();
    h->process_start = file_process_start();
    h->created_ns = h->heartbeat_ns = clk_read_ns(CLOCK_REALTIME);
    h->series_capacity = capacity;
    h->series_offset = seg_series_offset(room);
    h->series_bytes = sizeof(seg_series_t);
    h->ring_offset = ring_offset;
    h->ring_capacity = room.ring;
    h->ring_entry_bytes = sizeof(seg_ring_t);
    h->log_offset = SEG_LOG_OFFSET;
    h->setting_offset = SEG_SETTING_OFFSET;
    h->worker_index = worker;
    h->generation = generation;
    h->parent_pid = (uint64_t)getppid();
    h->namespace = seg_namespace();
    for (int i = 0; i < SEG_GAUGES; i++) h->gauges[i] = SEG_UNKNOWN;
}

int seg_open(const char *path, bool anonymous, seg_room_t room, int64_t worker, uint64_t generation)
{
    char hidden[4096];
    uint64_t capacity = 2 * room.series + SEG_CALL_KINDS + SEG_ACCOUNTS + SEG_METHODS + SEG_LOCK_PLACES +
                        SEG_REPEATS + SEG_TRANSACTIONS + 7;
    size_t fixed = seg_series_offset(room);
    if (access(path, F_OK) == 0) return EEXIST;
    int file = seg_create(path, anonymous, hidden, sizeof(hidden));
    if (file < 0) return errno;
    size_t mapped = fixed + capacity * sizeof(seg_series_t);
    int failed = file_allocate(file, 0, (off_t)(seg_open_offset(room) + table_first_bytes()));
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
    seg_take_file(file, anonymous);
    seg.units_limit = room.series;
    seg.pair_rows = (uint32_t)((seg_ring_offset(room.pairs) - SEG_PAIRS_OFFSET) / sizeof(seg_pair_t));
    seg.slowest_list = (seg_slowest_list_t *)(seg.base + seg_slowest_offset(room));
    table_attach((seg_open_table_t *)(seg.base + seg_open_offset(room)));
    seg.log = seg.logged = (seg_redo_t *)(seg.base + SEG_LOG_OFFSET);
    seg_write_header(capacity, room, worker, generation);
    SEG_HEADER->state = seg_lock_file(file);
    if (seg_make_indexes(capacity)) {
        const seg_key_t overflow = seg_name_key(SEG_OVERFLOW, SEG_BEYOND),
            nested = seg_name_key(SEG_NESTED, "(nested)");
        seg.overflow = seg_append(&overflow);
        seg.nested = seg_append(&nested);
    }
    memcpy(SEG_HEADER->magic, SEG_MAGIC, sizeof(SEG_HEADER->magic));
    failed = seg.nested ? seg_name_first(hidden, path) : ENOSPC;
    if (!failed) return 0;
    seg_forget();
    unlink(hidden);
    return failed;
}

/*
 * Writes a text that readers may read at any time: its sequence is odd while it is written. False when it
 * does not fit.
 */
static bool seg_write_text(uint64_t offset, size_t room, uint64_t *seq, uint64_t *length, const char *text,
                           size_t bytes)
{
    if (bytes > room) return false;
    __atomic_store_n(seq, *seq + 1, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memcpy(seg.base + offset, text, bytes);
    *length = bytes;
    __atomic_store_n(seq, *seq + 1, __ATOMIC_RELEASE);
    return true;
}

bool seg_write_setting(const char *json, size_t bytes)
{
    seg_header_t *h = SEG_HEADER;
    return seg_write_text(SEG_SETTING_OFFSET, SEG_SETTING_BYTES, &h->setting_seq, &h->setting_length, json,
                          bytes);
}

bool seg_write_profile(const char *json, size_t bytes)
{
    seg_header_t *h = SEG_HEADER;
    return seg_write_text(SEG_PROFILE_OFFSET, SEG_PROFILE_BYTES, &h->profile_seq, &h->profile_length, json,
                          bytes);
}

void seg_close(void)
{
    if (!seg.base) return;
    __atomic_fetch_or(&SEG_HEADER->state, SEG_CLOSED, __ATOMIC_RELEASE);
    if (seg.anonymous) seg.file = -1; /* left open: the segment exists only as long as a descriptor does */
    seg_forget();
}
