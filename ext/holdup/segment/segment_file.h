/* Making, mapping and letting go of the segment's file. */
#ifndef HOLDUP_SEGMENT_FILE_H
#define HOLDUP_SEGMENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for so many series of units, units that are kept singly, and pairs. */
typedef struct {
    uint64_t series, ring, pairs;
} seg_room_t;

/* Makes the file at `path`; 0 or an errno. A reader never sees half a header. */
int seg_open(const char *path, bool anonymous, seg_room_t room, int64_t worker, uint64_t generation);

bool seg_write_setting(const char *json, size_t bytes);

bool seg_write_profile(const char *json, size_t bytes);

/* The process ends its segment: readers see that it is complete. */
void seg_close(void);

/* Unmaps it and leaves the file as it is; what a forked child does with its parent's. */
void seg_forget(void);

#endif
