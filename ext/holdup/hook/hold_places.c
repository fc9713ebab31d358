#include "hook/hold_places.h"

#include <ruby/debug.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "init.h"
#include "text.h"

#define PLACES_DEPTH 256 /* frames, from the innermost out, among which the application's is looked for */
#define PLACES_FOLDERS 32
#define PLACES_LABEL_BYTES 120
#define PLACES_PATH_BYTES 160
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
    VALUE root;            /* of the application, with a slash at its end: paths inside it are short */
    VALUE foreign;         /* folders whose code is not the application's */
    VALUE ours;            /* the folder of Holdup's own code in the application's processes */
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

/* --- frames --- */

static bool places_within(VALUE path, VALUE folder)
{
    long bytes = RSTRING_LEN(folder);
    return RSTRING_LEN(path) > bytes && !memcmp(RSTRING_PTR(path), RSTRING_PTR(folder), (size_t)bytes);
}

/*
 * The path of a frame's file. Code that a template became has the template's; nil for C code, which Ruby
 * gives the absolute path "<cfunc>", and for Ruby's built-in methods ("<internal:kernel>").
 */
static VALUE places_path(VALUE frame)
{
    VALUE shown = rb_profile_frame_path(frame);
    if (!RB_TYPE_P(shown, T_STRING) || !RSTRING_LEN(shown) || *RSTRING_PTR(shown) == '<') return Qnil;
    VALUE path = rb_profile_frame_absolute_path(frame);
    return RB_TYPE_P(path, T_STRING) ? path : shown;
}

static bool places_in_file(VALUE frame)
{
    return !NIL_P(places_path(frame));
}

/* Of the application: neither Holdup's nor in a folder of others. */
static bool places_own(VALUE frame)
{
    VALUE path = places_path(frame);
    if (NIL_P(path) || *RSTRING_PTR(path) != '/') return false;
    if (RB_TYPE_P(places.ours, T_STRING) && places_within(path, places.ours)) return false;
    for (long i = 0; RB_TYPE_P(places.foreign, T_ARRAY) && i < RARRAY_LEN(places.foreign); i++)
        if (places_within(path, RARRAY_AREF(places.foreign, i))) return false;
    return true;
}

static size_t places_label(VALUE frame, char *room)
{
    VALUE label = rb_profile_frame_qualified_method_name(frame); /* without "block in" */
    if (!RB_TYPE_P(label, T_STRING)) label = rb_profile_frame_full_label(frame);
    return RB_TYPE_P(label, T_STRING) ? text_sanitise(label, room, PLACES_LABEL_BYTES).bytes : 0;
}

/* A method of Holdup's: in a file of its folder, or in C, where only the name says it. */
static bool places_ours(VALUE frame)
{
    static const char name[] = "Holdup";
    VALUE path = places_path(frame);
    if (!NIL_P(path)) return RB_TYPE_P(places.ours, T_STRING) && places_within(path, places.ours);
    char label[PLACES_LABEL_BYTES + 1];
    label[places_label(frame, label)] = '\0';
    char after = strncmp(label, name, sizeof(name) - 1) ? '\0' : label[sizeof(name) - 1];
    return after == ':' || after == '.' || after == '#';
}

static bool places_in_file_of_others(VALUE frame)
{
    return places_in_file(frame) && !places_ours(frame);
}

/* The first such frame, `depth` where there is none. */
static int places_find(const VALUE *frames, int from, int depth, bool (*fits)(VALUE))
{
    while (from < depth && !fits(frames[from])) from++;
    return from;
}

/*
 * The frame whose file and method a place says, of a stack that is not empty: the application's innermost
 * one, else the innermost in a file. Holdup's methods, which stand inside those that they measure, count only
 * in threads of its own. C code is named alone where nothing has a file.
 *
 * @param called the innermost frame that counts, perhaps the same one
 */
static int places_choose(const VALUE *frames, int depth, int *called)
{
    int first = 0, named;
    while (first < depth && places_ours(frames[first])) first++;
    named = places_find(frames, first, depth, places_own);
    if (named == depth) named = places_find(frames, first, depth, places_in_file_of_others);
    if (named == depth) named = places_find(frames, first = 0, depth, places_in_file);
    if (named == depth) named = 0;
    *called = first;
    return named;
}

/* Leaves out the application's folder, or the folder that gems are in. The end of a path says most. */
static size_t places_short_path(VALUE path, char *room)
{
    if (NIL_P(path)) return 0;
    VALUE folder = Qnil;
    long count = RB_TYPE_P(places.foreign, T_ARRAY) ? RARRAY_LEN(places.foreign) : 0;
    if (RB_TYPE_P(places.root, T_STRING) && places_within(path, places.root)) folder = places.root;
    for (long i = 0; NIL_P(folder) && i < count; i++)
        if (places_within(path, RARRAY_AREF(places.foreign, i))) folder = RARRAY_AREF(places.foreign, i);
    long from = NIL_P(folder) ? 0 : RSTRING_LEN(folder), bytes = RSTRING_LEN(path) - from;
    if (bytes > PLACES_PATH_BYTES) from += bytes - PLACES_PATH_BYTES, bytes = PLACES_PATH_BYTES;
    return text_sanitise(rb_str_subseq(path, from, bytes), room, PLACES_PATH_BYTES).bytes;
}

/* "path:line label" */
static size_t places_write(VALUE frame, int line, char *room)
{
    char path[PLACES_PATH_BYTES + 1], label[PLACES_LABEL_BYTES + 1];
    path[places_short_path(places_path(frame), path)] = '\0';
    label[places_label(frame, label)] = '\0';
    int bytes = *path ? snprintf(room, SEG_PLACE_BYTES, "%s:%d %s", path, line > 0 ? line : 0, label)
                      : snprintf(room, SEG_PLACE_BYTES, "%s", label);
    return bytes > 0 ? (size_t)bytes : 0;
}

static size_t places_append(char *room, size_t used, const char *called)
{
    size_t room_left = SEG_PLACE_BYTES - used;
    int more = *called ? snprintf(room + used, room_left, " | %s", called) : 0;
    return used + (more > 0 ? (size_t)more : 0);
}

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
    char room[SEG_PLACE_BYTES], called[PLACES_LABEL_BYTES + 1] = "";
    int named = depth ? places_choose(frames, depth, &first) : 0;
    size_t used = depth ? places_write(frames[named], lines[named], room) : 0;
    if (!used) used = (size_t)snprintf(room, sizeof(room), "(unknown)");
    if (named != first) called[places_label(frames[first], called)] = '\0';
    for (int part = 0; part < PLACE_PARTS; part++) {
        if (!ticks[part]) continue;
        const char *inside = part == PLACE_GC ? "(GC)" : part == PLACE_NATIVE ? "(native C)" : called;
        seg_text_t text = {room, places_append(room, used, inside)};
        numbers[part] = places_of_hold(text);
    }
    RB_GC_GUARD(frames[0]);
}

uint32_t places_here(void)
{
    VALUE frames[PLACES_DEPTH];
    int lines[PLACES_DEPTH], depth = rb_profile_frames(0, PLACES_DEPTH, frames, lines);
    char room[SEG_PLACE_BYTES];
    int own = places_find(frames, 0, depth, places_own);
    size_t used = own < depth ? places_write(frames[own], lines[own], room) : 0;
    seg_text_t text = {room, used};
    return places_of_lock(used ? text : seg_text("(no code of the application)"));
}

/* What is called that the frames wait in. */
static size_t places_primitive(const VALUE *frames, int depth, char *room)
{
    static const char sleeps[] = "Thread::Mutex#sleep", waits[] = "Thread::ConditionVariable#wait";
    size_t bytes = places_label(frames[0], room);
    bool inside = bytes == sizeof(sleeps) - 1 && !memcmp(room, sleeps, bytes) && depth > 1;
    if (!inside) return bytes;
    char around[PLACES_LABEL_BYTES + 1];
    size_t more = places_label(frames[1], around);
    if (more != sizeof(waits) - 1 || memcmp(around, waits, more)) return bytes;
    memcpy(room, around, more);
    return more;
}

uint32_t places_waiting(VALUE thread)
{
    VALUE frames[PLACES_DEPTH];
    int lines[PLACES_DEPTH], first = 0;
    int depth = rb_profile_thread_frames(thread, 0, PLACES_DEPTH, frames, lines);
    char room[SEG_PLACE_BYTES], called[PLACES_LABEL_BYTES + 1] = "";
    int named = depth ? places_choose(frames, depth, &first) : 0;
    size_t used = depth ? places_write(frames[named], lines[named], room) : 0;
    if (!used) used = (size_t)snprintf(room, sizeof(room), "(unknown)");
    if (named != first) called[places_primitive(frames + first, depth - first, called)] = '\0';
    seg_text_t text = {room, places_append(room, used, called)};
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

/* --- Ruby --- */

static VALUE places_folder(VALUE folder)
{
    return rb_obj_freeze(rb_str_dup(StringValue(folder)));
}

/*
 * application_folders(root, foreign, ours): paths below `root` are short in places; code in the folders
 * `foreign` (gems, Ruby's own library) is not the application's; what is below `ours` is Holdup's. All end in
 * a slash.
 */
static VALUE places_set_folders(VALUE self, VALUE root, VALUE foreign, VALUE ours)
{
    Check_Type(foreign, T_ARRAY);
    VALUE copies = rb_ary_new();
    for (long i = 0; i < RARRAY_LEN(foreign) && i < PLACES_FOLDERS; i++)
        rb_ary_push(copies, places_folder(RARRAY_AREF(foreign, i)));
    places.root = places_folder(root);
    places.ours = places_folder(ours);
    places.foreign = rb_obj_freeze(copies);
    return Qnil;
}

void hold_places_init(VALUE probe)
{
    places.root = places.foreign = places.ours = Qnil;
    rb_gc_register_address(&places.root);
    rb_gc_register_address(&places.ours);
    rb_gc_register_address(&places.foreign);
    rb_define_singleton_method(probe, "application_folders", places_set_folders, 3);
}
