#include "hook/place_frames.h"

#include <ruby/debug.h>
#include <stdio.h>
#include <string.h>

#include "init.h"
#include "segment/segment_layout.h"
#include "text.h"

#define FRAMES_FOLDERS 32
#define FRAMES_PATH_BYTES 160

static struct {
    VALUE root;    /* of the application, with a slash at its end: paths inside it are short */
    VALUE foreign; /* folders whose code is not the application's */
    VALUE ours;    /* the folder of Holdup's own code in the application's processes */
} folders;

/* --- which frame --- */

static bool frames_within(VALUE path, VALUE folder)
{
    long bytes = RSTRING_LEN(folder);
    return RSTRING_LEN(path) > bytes && !memcmp(RSTRING_PTR(path), RSTRING_PTR(folder), (size_t)bytes);
}

/*
 * The path of a frame's file. Code that a template became has the template's; nil for C code, which Ruby
 * gives the absolute path "<cfunc>", and for Ruby's built-in methods ("<internal:kernel>").
 */
static VALUE frames_path(VALUE frame)
{
    VALUE shown = rb_profile_frame_path(frame);
    if (!RB_TYPE_P(shown, T_STRING) || !RSTRING_LEN(shown) || *RSTRING_PTR(shown) == '<') return Qnil;
    VALUE path = rb_profile_frame_absolute_path(frame);
    return RB_TYPE_P(path, T_STRING) ? path : shown;
}

static bool frames_in_file(VALUE frame)
{
    return !NIL_P(frames_path(frame));
}

bool frames_own(VALUE frame)
{
    VALUE path = frames_path(frame);
    if (NIL_P(path) || *RSTRING_PTR(path) != '/') return false;
    if (RB_TYPE_P(folders.ours, T_STRING) && frames_within(path, folders.ours)) return false;
    for (long i = 0; RB_TYPE_P(folders.foreign, T_ARRAY) && i < RARRAY_LEN(folders.foreign); i++)
        if (frames_within(path, RARRAY_AREF(folders.foreign, i))) return false;
    return true;
}

size_t frames_label(VALUE frame, char *room)
{
    VALUE label = rb_profile_frame_qualified_method_name(frame); /* without "block in" */
    if (!RB_TYPE_P(label, T_STRING)) label = rb_profile_frame_full_label(frame);
    return RB_TYPE_P(label, T_STRING) ? text_sanitise(label, room, FRAMES_LABEL_BYTES).bytes : 0;
}

/* A method of Holdup's: in a file of its folder, or in C, where only the name says it. */
static bool frames_ours(VALUE frame)
{
    static const char name[] = "Holdup";
    VALUE path = frames_path(frame);
    if (!NIL_P(path)) return RB_TYPE_P(folders.ours, T_STRING) && frames_within(path, folders.ours);
    char label[FRAMES_LABEL_BYTES + 1];
    label[frames_label(frame, label)] = '\0';
    char after = strncmp(label, name, sizeof(name) - 1) ? '\0' : label[sizeof(name) - 1];
    return after == ':' || after == '.' || after == '#';
}

static bool frames_in_file_of_others(VALUE frame)
{
    return frames_in_file(frame) && !frames_ours(frame);
}

int frames_find(const VALUE *frames, int from, int depth, bool (*fits)(VALUE))
{
    while (from < depth && !fits(frames[from])) from++;
    return from;
}

int frames_choose(const VALUE *frames, int depth, int *called)
{
    int first = 0, named;
    while (first < depth && frames_ours(frames[first])) first++;
    named = frames_find(frames, first, depth, frames_own);
    if (named == depth) named = frames_find(frames, first, depth, frames_in_file_of_others);
    if (named == depth) named = frames_find(frames, first = 0, depth, frames_in_file);
    if (named == depth) named = 0;
    *called = first;
    return named;
}

/* Leaves out the application's folder, or the folder that gems are in. The end of a path says most. */
static size_t frames_short_path(VALUE path, char *room)
{
    if (NIL_P(path)) return 0;
    VALUE folder = Qnil;
    long count = RB_TYPE_P(folders.foreign, T_ARRAY) ? RARRAY_LEN(folders.foreign) : 0;
    if (RB_TYPE_P(folders.root, T_STRING) && frames_within(path, folders.root)) folder = folders.root;
    for (long i = 0; NIL_P(folder) && i < count; i++)
        if (frames_within(path, RARRAY_AREF(folders.foreign, i))) folder = RARRAY_AREF(folders.foreign, i);
    long from = NIL_P(folder) ? 0 : RSTRING_LEN(folder), bytes = RSTRING_LEN(path) - from;
    if (bytes > FRAMES_PATH_BYTES) from += bytes - FRAMES_PATH_BYTES, bytes = FRAMES_PATH_BYTES;
    return text_sanitise(rb_str_subseq(path, from, bytes), room, FRAMES_PATH_BYTES).bytes;
}

size_t frames_write(VALUE frame, int line, char *room)
{
    char path[FRAMES_PATH_BYTES + 1], label[FRAMES_LABEL_BYTES + 1];
    path[frames_short_path(frames_path(frame), path)] = '\0';
    label[frames_label(frame, label)] = '\0';
    int bytes = *path ? snprintf(room, SEG_PLACE_BYTES, "%s:%d %s", path, line > 0 ? line : 0, label)
                      : snprintf(room, SEG_PLACE_BYTES, "%s", label);
    return bytes > 0 ? (size_t)bytes : 0;
}

size_t frames_append(char *room, size_t used, const char *called)
{
    size_t room_left = SEG_PLACE_BYTES - used;
    int more = *called ? snprintf(room + used, room_left, " | %s", called) : 0;
    return used + (more > 0 ? (size_t)more : 0);
}

size_t frames_primitive(const VALUE *frames, int depth, char *room)
{
    static const char sleeps[] = "Thread::Mutex#sleep", waits[] = "Thread::ConditionVariable#wait";
    size_t bytes = frames_label(frames[0], room);
    bool inside = bytes == sizeof(sleeps) - 1 && !memcmp(room, sleeps, bytes) && depth > 1;
    if (!inside) return bytes;
    char around[FRAMES_LABEL_BYTES + 1];
    size_t more = frames_label(frames[1], around);
    if (more != sizeof(waits) - 1 || memcmp(around, waits, more)) return bytes;
    memcpy(room, around, more);
    return more;
}

/* --- Ruby --- */

static VALUE frames_folder(VALUE folder)
{
    return rb_obj_freeze(rb_str_dup(StringValue(folder)));
}

/*
 * application_folders(root, foreign, ours): paths below `root` are short in places; code in the folders
 * `foreign` (gems, Ruby's own library) is not the application's; what is below `ours` is Holdup's. All end in
 * a slash.
 */
static VALUE frames_set_folders(VALUE self, VALUE root, VALUE foreign, VALUE ours)
{
    Check_Type(foreign, T_ARRAY);
    VALUE copies = rb_ary_new();
    for (long i = 0; i < RARRAY_LEN(foreign) && i < FRAMES_FOLDERS; i++)
        rb_ary_push(copies, frames_folder(RARRAY_AREF(foreign, i)));
    folders.root = frames_folder(root);
    folders.ours = frames_folder(ours);
    folders.foreign = rb_obj_freeze(copies);
    return Qnil;
}

void place_frames_init(VALUE probe)
{
    folders.root = folders.foreign = folders.ours = Qnil;
    rb_gc_register_address(&folders.root);
    rb_gc_register_address(&folders.ours);
    rb_gc_register_address(&folders.foreign);
    rb_define_singleton_method(probe, "application_folders", frames_set_folders, 3);
}
