#include <ruby.h> /* first: its configuration has _GNU_SOURCE, for memfd_create */

#include "segment/segment_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "segment/segment.h"

static char seg_path[4096];

int seg_allocate(int file, off_t from, off_t bytes)
{
#ifdef HAVE_POSIX_FALLOCATE
    return posix_fallocate(file, from, bytes);
#else
    return ftruncate(file, from + bytes) ? errno : 0;
#endif
}

uint64_t seg_process_start(void)
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

/*
 * The namespace of our pid; 0 when unknown. A reader in the same one sees at once that this process is dead.
 */
static uint64_t seg_namespace(void)
{
    struct stat found;
    return stat("/proc/self/ns/pid", &found) == 0 ? (uint64_t)found.st_ino : 0;
}

bool seg_has_file(void)
{
    struct stat found;
    return seg.file >= 0 && fstat(seg.file, &found) == 0 && (uint64_t)found.st_dev == seg.device &&
           (uint64_t)found.st_ino == seg.inode;
}

static void seg_take_file(int file, bool anonymous)
{
    struct stat found;
    seg.file = file;
    seg.anonymous = anonymous;
    if (fstat(file, &found)) memset(&found, 0, sizeof(found));
    seg.device = (uint64_t)found.st_dev;
    seg.inode = (uint64_t)found.st_ino;
}

/*
 * The lock proves to readers in other process tables that this process lives, however long it stands still:
 * the kernel releases it when the process ends, by any cause. A flock belongs to our descriptor. Others of
 * this process that read the file and close it do not release it, as they would a POSIX record lock; a forked
 * child closes its copy of the descriptor before it runs any Ruby code, and another program that it executes
 * never gets it.
 */
static uint64_t seg_lock_file(int file)
{
    return flock(file, LOCK_EX | LOCK_NB) == 0 ? SEG_LOCKED : 0;
}

void seg_forget(void)
{
    if (seg.base) munmap(seg.base, seg.mapped);
    if (seg_has_file()) close(seg.file);
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
    h->namespace = seg_namespace();
    for (int i = 0; i < SEG_GAUGES; i++) h->gauges[i] = SEG_UNKNOWN;
}

#define SEG_TARGET_BYTES 64

static void seg_link_target(char *target, int file)
{
    snprintf(target, SEG_TARGET_BYTES, "/proc/%ld/fd/%d", (long)getpid(), file);
}

/*
 * Memory without a name, for hosts without a writable tmpfs: a link in the folder says which descriptor of
 * this process it is. It is gone with the process, unless the collector has it open; so a closed segment
 * keeps its descriptor.
 */
static int seg_create_anonymous(const char *link)
{
#ifdef HAVE_MEMFD_CREATE
    char target[SEG_TARGET_BYTES];
    int file = memfd_create("holdup segment", MFD_CLOEXEC);
    if (file < 0) return -1;
    seg_link_target(target, file);
    if (symlink(target, link) == 0) return file;
    close(file);
#else
    errno = ENOSYS;
#endif
    return -1;
}

int seg_create_private(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) (void)fchmod(file, 0600);
    return file;
}

/* A file (or link) next to `path`, which gets its final name when it is complete. */
static int seg_create(const char *path, bool anonymous, char *hidden, size_t room)
{
    int length = snprintf(hidden, room, "%s.new", path);
    if (length < 0 || (size_t)length >= room) {
        errno = ENAMETOOLONG;
        return -1;
    }
    unlink(hidden); /* the name has our pid, so it is of a dead process with the same pid */
    if (anonymous) return seg_create_anonymous(hidden);
    return seg_create_private(hidden);
}

int seg_open(const char *path, bool anonymous, uint64_t limit, uint64_t ring, int64_t worker,
             uint64_t generation)
{
    char hidden[4096];
    uint64_t capacity = 2 * limit + SEG_CALL_KINDS + SEG_ACCOUNTS + SEG_METHODS + SEG_REPEATS + 4;
    size_t fixed = (SEG_RING_OFFSET + ring * sizeof(seg_ring_t) + SEG_PAGE - 1) / SEG_PAGE * SEG_PAGE;
    if (access(path, F_OK) == 0) return EEXIST;
    int file = seg_create(path, anonymous, hidden, sizeof(hidden));
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
    seg_take_file(file, anonymous);
    seg.units_limit = limit;
    seg.log = (seg_redo_t *)(seg.base + SEG_LOG_OFFSET);
    seg_write_header(capacity, ring, worker, generation);
    SEG_HEADER->state = seg_lock_file(file);
    if (seg_make_index(capacity)) {
        const seg_key_t overflow = seg_name_key(SEG_OVERFLOW, SEG_BEYOND),
            nested = seg_name_key(SEG_NESTED, "(nested)");
        seg.overflow = seg_append(&overflow);
        seg.nested = seg_append(&nested);
    }
    memcpy(SEG_HEADER->magic, SEG_MAGIC, sizeof(SEG_HEADER->magic));
    failed = !seg.nested ? ENOSPC : rename(hidden, path) ? errno : 0;
    snprintf(seg_path, sizeof(seg_path), "%s", path);
    if (!failed) return 0;
    seg_forget();
    unlink(hidden);
    return failed;
}

/* --- a name again, after others have removed it --- */

static bool seg_link_is_ours(void)
{
    char target[SEG_TARGET_BYTES], found[SEG_TARGET_BYTES];
    seg_link_target(target, seg.file);
    ssize_t length = readlink(seg_path, found, sizeof(found));
    return length == (ssize_t)strlen(target) && !memcmp(found, target, (size_t)length);
}

enum seg_name seg_check_name(void)
{
    struct stat found;
    if (!seg.base) return SEG_NAMED;
    if (lstat(seg_path, &found)) return SEG_NAME_REMOVED;
    bool ours = seg.anonymous ? seg_link_is_ours()
                              : (uint64_t)found.st_dev == seg.device && (uint64_t)found.st_ino == seg.inode;
    if (!ours) return SEG_NAME_REPLACED;
    return seg_has_file() ? SEG_NAMED : SEG_DESCRIPTOR_CLOSED;
}

/* Whether the file at `path` is a copy of this segment, or nothing that a process measures into. */
static bool seg_may_replace(void)
{
    seg_header_t found;
    int file = open(seg_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return errno == ENOENT || errno == ELOOP;
    bool whole = pread(file, &found, sizeof(found), 0) == (ssize_t)sizeof(found);
    close(file);
    return !whole || memcmp(found.magic, SEG_MAGIC, sizeof(found.magic)) ||
           found.created_ns == SEG_HEADER->created_ns;
}

int seg_write_all(int file, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t written = pwrite(file, bytes + at, size - at, (off_t)at);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) at += (size_t)written;
    }
    return 0;
}

/*
 * Maps `file` where the segment is, so that no address changes. Readers that still see the old file find
 * nothing to count there: it has moved.
 */
static int seg_map_instead(int file)
{
    uint64_t state = SEG_HEADER->state;
    __atomic_store_n(&SEG_HEADER->state, state | SEG_CLOSED | SEG_MOVED, __ATOMIC_RELEASE);
    void *base = mmap(seg.base, seg.mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    if (base != MAP_FAILED) return 0;
    int failed = errno;
    __atomic_store_n(&SEG_HEADER->state, state, __ATOMIC_RELEASE);
    return failed;
}

/* The file is there, but we have no descriptor of it any more, and with it lost the lock. */
static int seg_open_again(void)
{
    int file = open(seg_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return errno;
    uint64_t locked = seg_lock_file(file);
    seg_take_file(file, false);
    __atomic_store_n(&SEG_HEADER->state, locked, __ATOMIC_RELEASE);
    return 0;
}

/* Of memory without a name only the link is gone. */
static int seg_link_again(const char *hidden)
{
    char target[SEG_TARGET_BYTES];
    seg_link_target(target, seg.file);
    unlink(hidden);
    return symlink(target, hidden) || rename(hidden, seg_path) ? errno : 0;
}

/* Another file with all that the segment has, under its name. Its number, or -1 and an errno. */
static int seg_copy_file(bool anonymous)
{
    char hidden[4096];
    size_t used = (size_t)(SEG_HEADER->series_offset + seg.allocated * sizeof(seg_series_t));
    int file = seg_create(seg_path, anonymous, hidden, sizeof(hidden));
    if (file < 0) return -1;
    int failed = seg_allocate(file, 0, (off_t)used);
    if (!failed) {
        __atomic_store_n(&SEG_HEADER->state, seg_lock_file(file), __ATOMIC_RELEASE);
        failed = seg_write_all(file, seg.base, used);
    }
    if (!failed && rename(hidden, seg_path)) failed = errno;
    if (!failed) return file;
    close(file);
    unlink(hidden);
    errno = failed;
    return -1;
}

int seg_name_again(bool anonymous)
{
    char hidden[sizeof(seg_path) + 8];
    if (seg_check_name() == SEG_DESCRIPTOR_CLOSED && !seg.anonymous) return seg_open_again();
    if (!seg_may_replace()) return EEXIST;
    snprintf(hidden, sizeof(hidden), "%s.new", seg_path);
    if (seg.anonymous && seg_has_file()) return seg_link_again(hidden);
    int file = seg_copy_file(anonymous);
    if (file < 0) return errno;
    int failed = seg_map_instead(file);
    if (failed) {
        close(file);
        unlink(seg_path);
        return failed;
    }
    if (seg_has_file()) close(seg.file);
    seg_take_file(file, anonymous);
    return 0;
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
