/*
 * Where others find the segment: its name in the folder, our descriptor of it, and the lock that proves that
 * this process lives. Others may take all three away.
 */
#ifndef HOLDUP_SEGMENT_NAME_H
#define HOLDUP_SEGMENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- for segment_file.c --- */

/*
 * Makes a file (or, where it is anonymous, memory and a link to it) beside `path`. It gets that name when it
 * is complete. `hidden` becomes the name until then. A descriptor, or -1 and an errno.
 */
int seg_create(const char *path, bool anonymous, char *hidden, size_t room);

/* Gives it its name; 0 or an errno: EEXIST where a process has it, which may be in another container. */
int seg_name_first(const char *hidden, const char *path);

/* The segment's descriptor is `file` from now on. */
void seg_take_file(int file, bool anonymous);

/*
 * The lock proves to readers in other process tables that this process lives, however long it stands still:
 * the kernel releases it when the process ends, by any cause. A flock belongs to our descriptor. Others of
 * this process that read the file and close it do not release it, as they would a POSIX record lock; a forked
 * child closes its copy of the descriptor before it runs any Ruby code, and another program that it executes
 * never gets it. The bit of the header's state that says so, or 0.
 */
uint64_t seg_lock_file(int file);

/* --- for all --- */

/* Whether our descriptor is still the segment's file. */
bool seg_has_file(void);

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

#endif
