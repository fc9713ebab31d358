/*
 * Objects that are followed until a collection frees them; nothing here keeps them alive. They stand in the
 * order of the watches (see retained.h) of which they are. Of a watch with many, one of followed_stride() is
 * followed, and each large one.
 *
 * All functions are called with the GVL. Those that run inside Ruby's collector or its report of a new object
 * allocate nothing: followed_add, _leave_latest, _select_marked and _bytes.
 */
#ifndef HOLDUP_FOLLOWED_OBJECTS_H
#define HOLDUP_FOLLOWED_OBJECTS_H

#include <ruby.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(HAVE_RB_OBJ_MEMSIZE_OF) && defined(HAVE_RB_OBJ_GC_FLAGS)
#define FOLLOWED_EXIST 1
#else
#define FOLLOWED_EXIST 0
#endif

void followed_init(void);

/* Whether this Ruby's collector says what it has marked. */
bool followed_are_possible(void);

bool followed_have_room(void);

/* What is added from here on belongs to the watch of that number, which is higher than all before. */
void followed_begin(uint32_t watch);

/* Follows none of the latest watch any more. */
void followed_drop(void);

void followed_clear(void);

/* Ruby has reported a new object of the latest watch. */
void followed_add(VALUE object);

/* An object has its memory of malloc only after it was reported, so its size is asked at the next report. */
void followed_size_latest(void);

/* The latest object must not be asked for its size any more: a collection may free it. */
void followed_leave_latest(void);

/* A collection has marked, and frees the others after this. */
void followed_select_marked(bool major);

/* Leaves out those of the latest watch that are Ruby's own, which no program sees. */
void followed_select_visible(void);

/* Bytes of all objects of the latest watch that are there, by those that are followed. */
uint64_t followed_bytes(void);

/* Of the latest watch: one of how many is followed now, and how many have been in all. */
uint32_t followed_stride(void);
uint64_t followed_count(void);

/* What is there of the watches up to that number: as probe_retained_objects says it. */
VALUE followed_sums(uint32_t last);

/* Follows none of the watches up to that number any more. */
void followed_forget(uint32_t last);

#endif
