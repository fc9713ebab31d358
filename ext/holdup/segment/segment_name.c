#include <ruby.h> /* first: its configuration has _GNU_SOURCE, for memfd_create */

#include "segment/segment_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "clock.h"
#include "private_file.h"
#include "segment/segment.h"
#include "segment/segment_open_units.h"

static char seg_path[4096];

bool seg_has_file(void)
{
    struct stat found;
    return seg.file >= 0 && fstat(seg.file, &found) == 0 && (uint64_t)found.st_dev == seg.device &&
           (uint64_t)found.st_ino == seg.inode;
}

void seg_take_file(int file, bool anonymous)
{
    struct stat found;
    seg.file = file;
    seg.anonymous = anonymous;
    if (fstat(file, &found)) memset(&found, 0, sizeof(found));
    seg.device = (uint64_t)found.st_dev;
    seg.inode = (uint64_t)found.st_ino;
}

uint64_t seg_lock_file(int file)
{
    return flock(file, LOCK_EX | LOCK_NB) == 0 ? SEG_LOCKED : 0;
}

#define SEG_TARGET_BYTES 64
#define SEG_NO_REPLACE 1u /* RENAME_NOREPLACE; older headers lack it */

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

/*
 * Another process may have the same pid and start time, in another container that shares the folder. So the
 * name has the time, and no file of this name is touched that is there already.
 */
static bool seg_hidden_name(const char *path, char *hidden, size_t room)
{
    unsigned long long now = clk_read_ns(CLOCK_REALTIME);
    int length = snprintf(hidden, room, "%s.%llx.new", path, now);
    if (length >= 0 && (size_t)length < room) return true;
    errno = ENAMETOOLONG;
    return false;
}

int seg_create(const char *path, bool anonymous, char *hidden, size_t room)
{
    if (!seg_hidden_name(path, hidden, room)) return -1;
    if (anonymous) return seg_create_anonymous(hidden);
    return file_create_private(hidden);
}

/* Does not take the name from a process that has it; 0 or -1. */
static int seg_rename_new(const char *hidden, const char *path)
{
#ifdef SYS_renameat2
    if (syscall(SYS_renameat2, AT_FDCWD, hidden, AT_FDCWD, path, SEG_NO_REPLACE) == 0) return 0;
    if (errno != ENOSYS && errno != EINVAL) return -1;
#endif
    if (linkat(AT_FDCWD, hidden, AT_FDCWD, path, 0) == 0) return unlink(hidden);
    if (errno == EEXIST) return -1;
    if (access(path, F_OK)) return rename(hidden, path); /* a file system without hard links */
    errno = EEXIST;
    return -1;
}

int seg_name_first(const char *hidden, const char *path)
{
    snprintf(seg_path, sizeof(seg_path), "%s", path);
    return seg_rename_new(hidden, path) ? errno : 0;
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

/* Only the link is gone if the memory has no name. */
static int seg_link_again(void)
{
    char target[SEG_TARGET_BYTES], hidden[4096];
    if (!seg_hidden_name(seg_path, hidden, sizeof(hidden))) return errno;
    seg_link_target(target, seg.file);
    return symlink(target, hidden) || rename(hidden, seg_path) ? errno : 0;
}

/* The segment has a hole between open units and series, which a copy of it has too. */
typedef struct {
    uint64_t from, bytes;
} seg_part_of_file_t;

static int seg_copy_parts(int file, const seg_part_of_file_t parts[2])
{
    int failed = 0;
    for (int i = 0; i < 2 && !failed; i++)
        failed = file_allocate(file, (off_t)parts[i].from, (off_t)parts[i].bytes);
    if (!failed) __atomic_store_n(&SEG_HEADER->state, seg_lock_file(file), __ATOMIC_RELEASE);
    for (int i = 0; i < 2 && !failed; i++)
        failed = file_write_all(file, seg.base + parts[i].from, parts[i].bytes, (off_t)parts[i].from);
    return failed;
}

/*
 * Another file with all that the segment has, under its name; of the table of open units, so many bytes. Its
 * number, or -1 and an errno.
 */
static int seg_copy_file(bool anonymous, size_t open_units)
{
    char hidden[4096];
    uint64_t series = SEG_HEADER->series_offset;
    const seg_part_of_file_t parts[2] = {{0, series - sizeof(seg_open_table_t) + open_units},
                                         {series, seg.allocated * sizeof(seg_series_t)}};
    int file = seg_create(seg_path, anonymous, hidden, sizeof(hidden));
    if (file < 0) return -1;
    int failed = seg_copy_parts(file, parts);
    if (!failed && rename(hidden, seg_path)) failed = errno;
    if (!failed) return file;
    close(file);
    unlink(hidden);
    errno = failed;
    return -1;
}

static int seg_move(bool anonymous, size_t open_units)
{
    int file = seg_copy_file(anonymous, open_units);
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

int seg_name_again(bool anonymous)
{
    if (seg_check_name() == SEG_DESCRIPTOR_CLOSED && !seg.anonymous) return seg_open_again();
    if (!seg_may_replace()) return EEXIST;
    if (seg.anonymous && seg_has_file()) return seg_link_again();
    size_t open_units = table_freeze();
    int failed = seg_move(anonymous, open_units);
    table_unfreeze();
    return failed;
}
