#include <ruby.h> /* first: its configuration says what the system has */

#include "private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_create_private(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0) (void)fchmod(file, 0600);
    return file;
}

int file_write_all(int file, const char *bytes, size_t size, off_t from)
{
    for (size_t at = 0; at < size;) {
        ssize_t written = pwrite(file, bytes + at, size - at, from + (off_t)at);
        if (written < 0 && errno != EINTR) return errno;
        if (written > 0) at += (size_t)written;
    }
    return 0;
}

#ifndef HAVE_POSIX_FALLOCATE
/*
 * A write of a byte that is there makes the system find a block for it, now, while a full disk is an error. A
 * page of the mapping that finds none would end the process with SIGBUS.
 */
static int file_take_blocks(int file, off_t from, off_t to)
{
    enum { BLOCK = 4096 };
    for (off_t at = from; at < to; at = (at / BLOCK + 1) * BLOCK) {
        char byte = 0;
        if (pread(file, &byte, 1, at) < 0) return errno;
        int failed = file_write_all(file, &byte, 1, at);
        if (failed) return failed;
    }
    return 0;
}
#endif

int file_allocate(int file, off_t from, off_t bytes)
{
#ifdef HAVE_POSIX_FALLOCATE
    return posix_fallocate(file, from, bytes);
#else
    struct stat found;
    if (fstat(file, &found) != 0) return errno;
    if (found.st_size < from + bytes && ftruncate(file, from + bytes) != 0) return errno;
    return file_take_blocks(file, from, from + bytes);
#endif
}

int file_fill(int file, off_t from, off_t bytes)
{
#ifdef HAVE_POSIX_FALLOCATE
    return posix_fallocate(file, from, bytes);
#else
    return file_take_blocks(file, from, from + bytes);
#endif
}

uint64_t file_process_start(void)
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
