/* Making, mapping and letting go of the segment's file. Also what a capture's file needs of it. */
#ifndef HOLDUP_SEGMENT_FILE_H
#define HOLDUP_SEGMENT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Makes the file at `path`; 0 or an errno. A reader never sees half a header. */
int seg_open(const char *path, bool anonymous, uint64_t limit, uint64_t ring, int64_t worker,
             uint64_t generation);

bool seg_write_setting(const char *json, size_t bytes);

bool seg_write_profile(const char *json, size_t bytes);

/* The process ends its segment: readers see that it is complete. */
void seg_close(void);

/* Unmaps it and leaves the file as it is; what a forked child does with its parent's. */
void seg_forget(void);

/* What has become of the segment's name. */
enum seg_name { SEG_NAMED, SEG_NAME_REMOVED, SEG_NAME_REPLACED, SEG_DESCRIPTOR_CLOSED };

/*
 * Whether the segment still has its name, in three system calls. A process whose folder was removed would
 * measure into memory that no collector can find.
 */
enum seg_name seg_check_name(void);

/*
 * Gives the segment its name again; 0 or an errno, and then the process goes on in the memory it has. A file
 * without a name can't get one, so another file gets all its content: the same segment for a collector, which
 * goes on where it was. The caller holds the GVL and seg_lock.
 */
int seg_name_again(bool anonymous);

/*
 * Makes a file for this user only, whatever the application's umask: with one that takes the owner's rights
 * no collector could read it. Its number, or -1 and an errno.
 */
int seg_create_private(const char *path);

/* Whether our descriptor is still the segment's file. */
bool seg_has_file(void);

/*
 * Space for `bytes` from `from`; 0 or an errno. Without posix_fallocate (macOS) the disk is trusted to have
 * it.
 */
int seg_allocate(int file, off_t from, off_t bytes);

/* Writes all of it from the file's start on; 0 or an errno. */
int seg_write_all(int file, const char *bytes, size_t size);

uint64_t seg_process_start(void);

#endif
