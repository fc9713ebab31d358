#include "hook/hold_places.h"

#include <ruby/debug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook/place_frames.h"

#define PLACES_DEPTH 256 /* frames, from the innermost out, among which the application's is looked for */
#define PLACES_OF_LOCKS 64 /* room that places of holds leave to those of locks, which are few */
#define PLACES_BEYOND 0 /* the place of all beyond the limit */

static struct {
    struct {
        uint32_t hash;
        uint32_t bytes;
        char *text;
    } all[PLACES + PLACES_OF_LOCKS];
    uint32_t count;
    uint64_t left_out;
} places;

/* --- the table --- */

static uint32_t places_hash(seg_text_t text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < text.bytes; i++) hash = (hash ^ (unsigned char)text.text[i]) * 16777619u;
    return hash;
}

static uint32_t places_add(seg_text_t text, uint32_t hash, uint32_t most)
{
    char *copy = places.count < most ? malloc(text.bytes) : NULL;
    if (!copy) return PLACES_BEYOND;
    places.all[places.count].text = copy;
    places.all[places.count].bytes = seg_copy(copy, text);
    places.all[places.count].hash = hash;
    return places.count++;
}

/* Its number, perhaps a new one where fewer than `most` are known. */
static uint32_t places_intern(seg_text_t text, uint32_t most)
{
    uint32_t hash = places_hash(text);
    if (!places.count) places_add(seg_text("(others)"), 0, most);
    for (uint32_t i = 1; i < places.count; i++)
        if (places.all[i].hash == hash && places.all[i].bytes == text.bytes &&
            !memcmp(places.all[i].text, text.text, text.bytes))
            return i;
    uint32_t place = places_add(text, hash, most);
    if (place == PLACES_BEYOND) places.left_out++;
    return place;
}

seg_text_t places_text(uint32_t place)
{
    seg_text_t text = {places.all[place].text, places.all[place].bytes};
    return text;
}

uint32_t places_count(void)
{
    return places.count ? places.count - 1 : 0;
}

uint64_t places_left_out(void)
{
    return places.left_out;
}

void places_forget(void)
{
    for (uint32_t i = 0; i < places.count; i++) free(places.all[i].text);
    places.count = 0;
    places.left_out = 0;
}

/* --- places of threads --- */

static uint32_t places_of_hold(seg_text_t text)
{
    return places_intern(text, PLACES);
}

static uint32_t places_of_lock(seg_text_t text)
{
    return places_intern(text, PLACES + PLACES_OF_LOCKS);
}

void places_take(uint32_t numbers[PLACE_PARTS], const uint64_t ticks[PLACE_PARTS])
{
    VALUE frames[PLACES_DEPTH];
    int lines[PLACES_DEPTH], depth = rb_profile_frames(0, PLACES_DEPTH, frames, lines), first = 0;
    char room[SEG_PLACE_BYTES], called[FRAMES_LABEL_BYTES + 1] = "";
    int named = depth ? frames_choose(frames, depth, &first) : 0;
    size_t used = depth ? frames_write(frames[named], lines[named], room) : 0;
    if (!used) used = (size_t)snprintf(room, sizeof(room), "(unknown)");
    if (named != first) called[frames_label(frames[first], called)] = '\0';
    for (int part = 0; part < PLACE_PARTS; part++) {
        if (!ticks[part]) continue;
        const char *inside = part == PLACE_GC ? "(GC)" : part == PLACE_NATIVE ? "(native C)" : called;
        seg_text_t text = {room, frames_append(room, used, inside)};
        numbers[part] = places_of_hold(text);
    }
    RB_GC_GUARD(frames[0]);
}

uint32_t places_here(void)
{
    VALUE frames[PLACES_DEPTH];
    int lines[PLACES_DEPTH], depth = rb_profile_frames(0, PLACES_DEPTH, frames, lines);
    char room[SEG_PLACE_BYTES];
    int own = frames_find(frames, 0, depth, frames_own);
    size_t used = own < depth ? frames_write(frames[own], lines[own], room) : 0;
    seg_text_t text = {room, used};
    return places_of_lock(used ? text : seg_text("(no code of the application)"));
}

uint32_t places_waiting(VALUE thread)
{
    VALUE frames[PLACES_DEPTH];
    int lines[PLACES_DEPTH], first = 0;
    int depth = rb_profile_thread_frames(thread, 0, PLACES_DEPTH, frames, lines);
    char room[SEG_PLACE_BYTES], called[FRAMES_LABEL_BYTES + 1] = "";
    int named = depth ? frames_choose(frames, depth, &first) : 0;
    size_t used = depth ? frames_write(frames[named], lines[named], room) : 0;
    if (!used) used = (size_t)snprintf(room, sizeof(room), "(unknown)");
    if (named != first) called[frames_primitive(frames + first, depth - first, called)] = '\0';
    seg_text_t text = {room, frames_append(room, used, called)};
    return places_of_lock(text);
}

/* --- tallies --- */

void places_tally(hold_tally_t **tallies, uint32_t place, uint64_t ticks)
{
    hold_tally_t *tally = *tallies;
    while (tally && tally->place != place) tally = tally->next;
    if (!tally) {
        tally = calloc(1, sizeof(*tally));
        if (!tally) return;
        tally->place = place;
        tally->next = *tallies;
        *tallies = tally;
    }
    tally->samples++;
    tally->ticks += ticks;
}

void places_drop(hold_tally_t *tallies)
{
    for (hold_tally_t *next; tallies; tallies = next) {
        next = tallies->next;
        free(tallies);
    }
}
