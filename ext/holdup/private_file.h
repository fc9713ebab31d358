/* The files that Holdup shares with its readers, the segment and captures, as far as they are made alike. */
#ifndef HOLDUP_PRIVATE_FILE_H
#define HOLDUP_PRIVATE_FILE_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Makes a file for this user only, whatever the application's umask: with one that takes the owner's rights
 * no collector could read it. Its number, or -1 and an errno.
 */
int file_create_private(const char *path);

/*
 * Space for `bytes` from `from`, of which nobody writes anything meanwhile; 0 or an errno. The file is at
 * least as long afterwards.
 */
int file_allocate(int file, off_t from, off_t bytes);

/* Space in the middle of a file, where it has a hole; 0 or an errno. The file stays as long as it is. */
int file_fill(int file, off_t from, off_t bytes);

/* Writes all of it from `from` on; 0 or an errno. */
int file_write_all(int file, const char *bytes, size_t size, off_t from);

/* When this process started, in ticks of the kernel since boot; 0 when unknown. Its header has it. */
uint64_t file_process_start(void);

#endif
