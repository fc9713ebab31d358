/*
 * Of a thread's frames, from the innermost out: which one says where the thread is, and its text. The caller
 * holds the GVL of the main Ractor. All may raise.
 */
#ifndef HOLDUP_PLACE_FRAMES_H
#define HOLDUP_PLACE_FRAMES_H

#include <ruby.h>
#include <stdbool.h>

#define FRAMES_LABEL_BYTES 120

/* Whether it is the application's own code: neither Holdup's nor in a folder of others. */
bool frames_own(VALUE frame);

/* The first frame from `from` on that fits, `depth` where there is none. */
int frames_find(const VALUE *frames, int from, int depth, bool (*fits)(VALUE));

/*
 * The frame whose file and method a place says, of a stack that is not empty: the application's innermost
 * one, else the innermost in a file. Holdup's methods, which stand inside those that they measure, count only
 * in threads of its own. C code is named alone where nothing has a file. `called` becomes the innermost frame
 * that counts, perhaps the same one.
 */
int frames_choose(const VALUE *frames, int depth, int *called);

/* "path:line label", of at most SEG_PLACE_BYTES; its length. */
size_t frames_write(VALUE frame, int line, char *room);

/* Adds " | called" to a text of `used` bytes, if anything was called; its new length. */
size_t frames_append(char *room, size_t used, const char *called);

/* "Report#rows", of at most FRAMES_LABEL_BYTES; its length. */
size_t frames_label(VALUE frame, char *room);

/* The label of what the frames wait in: ConditionVariable#wait instead of the Mutex#sleep inside. */
size_t frames_primitive(const VALUE *frames, int depth, char *room);

#endif
