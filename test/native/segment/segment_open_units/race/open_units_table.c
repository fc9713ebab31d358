/*
 * The table of open units alone, without Ruby: two Ractors begin and end units, rename and place them; one
 * thread looks at what they do, as the watch of long holds does, and another one reads as other processes do.
 * Meanwhile the table is frozen. Prints how many looks found a name or a state that nobody wrote.
 * ThreadSanitizer watches.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "segment/segment_name.h"
#include "segment/segment_open_units.h"

#define RACTORS 2
#define TURNS 20000
#define OPEN 6 /* of each Ractor at once */
#define FREEZES 200

struct seg seg;
bool blame_many = true;

static seg_open_table_t *table;
static bool stop;
static seg_redo_t log_entries[16];

bool seg_has_file(void)
{
    return true;
}

int file_fill(int file, off_t from, off_t bytes)
{
    return posix_fallocate(file, from, bytes);
}

/* As seg_commit. */
static void commit(table_place_t place)
{
    seg_lock();
    table_end(place);
    for (const seg_redo_t *entry = seg.log; entry != seg.logged; entry++) {
        uint64_t *word = (uint64_t *)(seg.base + entry->offset);
        __atomic_store_n(word, entry->value, __ATOMIC_RELEASE);
    }
    seg.logged = seg.log;
    seg_unlock();
    table_give_back(place);
}

/* One letter, as often as its place in the alphabet says. */
static seg_text_t text_of(uint64_t n, char *room)
{
    uint64_t letter = n % 26;
    memset(room, (int)('a' + letter), letter + 1);
    return (seg_text_t){room, letter + 1};
}

static bool is_text(const char *text, uint64_t bytes)
{
    char expected[26];
    if (!bytes || bytes > 26) return false;
    text_of(bytes - 1, expected);
    return !memcmp(text, expected, bytes);
}

static void end(table_place_t place, uint64_t n)
{
    if (n % 3 == 0) table_leave_alone(place);
    if (n % 5 == 0) table_drop(place);
    else commit(place);
}

static void *run_units(void *given)
{
    uint64_t ractor = (uint64_t)(uintptr_t)given;
    table_place_t open[OPEN] = {{0, 0}};
    unsigned char trace[SEG_TRACE_BYTES] = {1};
    char room[26];
    for (uint64_t n = 1; n < TURNS; n++) {
        table_place_t *place = &open[n % OPEN];
        if (place->slot) end(*place, n);
        const table_unit_t unit = {.handle = n << 8 | ractor,
                                   .kind = 1,
                                   .name = text_of(n, room),
                                   .started_ns = n,
                                   .thread = ractor,
                                   .outer = open[(n + 1) % OPEN],
                                   .clock = (const struct tclock *)&open};
        place->slot = table_claim(&unit);
        place->handle = unit.handle;
        table_set_name(*place, text_of(n + 7, room));
        table_set_place(*place, text_of(n + 9, room));
        table_set_trace(*place, trace);
        table_set_request(*place, text_of(n + 3, room));
    }
    for (int i = 0; i < OPEN; i++) end(open[i], 1);
    return NULL;
}

static void *look(void *wrong)
{
    char room[SEG_NAME_BYTES], call[26];
    for (uint64_t n = 1; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++) {
        if (!table_look()) continue;
        for (uint32_t i = 0; i < table_size(); i++) {
            uint64_t handle, sequence;
            if (!table_clock(i, &handle, &sequence)) continue;
            uint64_t bytes = table_read_name(i, room);
            if (bytes && !is_text(room, bytes)) __atomic_add_fetch((unsigned *)wrong, 1, __ATOMIC_RELAXED);
            const seg_open_seen_t seen = {.of = sequence, .since_ns = n, .seen_ns = ~n};
            table_see(i, &seen, text_of(n, call));
        }
        const seg_open_holder_t holder = {.thread = n, .since_ns = n, .seen_ns = ~n};
        table_see_holder(&holder, text_of(n, call));
        table_looked();
    }
    return NULL;
}

static uint64_t word(const uint64_t *at)
{
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

/* As another process does: what changed meanwhile is not taken. */
static void *read_states(void *wrong)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        for (uint32_t i = 0; i < table_size(); i++) {
            const seg_open_unit_t *slot = &table->units[i];
            uint64_t sequence = __atomic_load_n(&slot->seen_seq, __ATOMIC_ACQUIRE);
            const seg_open_seen_t *seen = &slot->seen[sequence & 1];
            uint64_t since = word(&seen->since_ns), seen_ns = word(&seen->seen_ns);
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            if (word(&slot->seen_seq) != sequence || !sequence) continue;
            if (since != ~seen_ns) __atomic_add_fetch((unsigned *)wrong, 1, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t ractors[RACTORS], looker, reader;
    unsigned wrong = 0;
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), (off_t)sizeof(*table))) abort();
    table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (table == MAP_FAILED) abort();
    seg.base = (char *)table;
    seg.file = fileno(file);
    seg.log = seg.logged = log_entries;
    table_attach(table);
    if (pthread_create(&looker, NULL, look, &wrong)) abort();
    if (pthread_create(&reader, NULL, read_states, &wrong)) abort();
    for (uintptr_t i = 0; i < RACTORS; i++)
        if (pthread_create(&ractors[i], NULL, run_units, (void *)(i + 1))) abort();
    for (int i = 0; i < FREEZES; i++) {
        table_freeze();
        table_unfreeze();
        sched_yield();
    }
    for (int i = 0; i < RACTORS; i++) pthread_join(ractors[i], NULL);
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    pthread_join(looker, NULL);
    pthread_join(reader, NULL);
    table_attach(NULL);
    printf("%u\n", wrong);
    return 0;
}
