#include "unit/request_texts.h"

#include <string.h>

#include "text.h"
#include "unit/open_unit.h"

/* Keys of a Rack environment. */
static struct {
    VALUE verb, path, rails_id, id, trace;
} keys;

static bool shows_paths = true;

static VALUE text_key(VALUE env, VALUE key)
{
    VALUE text = RB_TYPE_P(env, T_HASH) ? rb_hash_lookup(env, key) : Qnil;
    return RB_TYPE_P(text, T_STRING) ? text : Qnil;
}

/* Methods that have names of their own, as in UnitName. */
static const char *const request_verbs[] = {"GET",   "HEAD",    "POST",  "PUT",  "PATCH",
                                            "DELETE", "OPTIONS", "TRACE", "QUERY"};

static const char *request_verb(VALUE env)
{
    VALUE verb = text_key(env, keys.verb);
    if (NIL_P(verb)) return "OTHER";
    for (size_t i = 0; i < sizeof(request_verbs) / sizeof(*request_verbs); i++) {
        size_t bytes = strlen(request_verbs[i]);
        if (RSTRING_LEN(verb) == (long)bytes && !memcmp(RSTRING_PTR(verb), request_verbs[i], bytes))
            return request_verbs[i];
    }
    return "OTHER";
}

#define REQUEST_WORD_LETTERS 40
#define REQUEST_WORD_DIGITS 2

/* Bytes of the first segment of a path, if it is a word and no id (UnitName::WORD); else 0. */
static size_t request_word(const char *path, size_t bytes)
{
    size_t at = 1, digits = 0;
    if (bytes < 2 || !ISALPHA((unsigned char)path[1])) return 0;
    while (at < bytes && (ISALPHA((unsigned char)path[at]) || strchr("_.-", path[at])) && path[at]) at++;
    if (at - 1 > REQUEST_WORD_LETTERS) return 0;
    for (; at < bytes && ISDIGIT((unsigned char)path[at]); at++) digits++;
    return digits <= REQUEST_WORD_DIGITS && (at == bytes || path[at] == '/') ? at : 0;
}

seg_text_t request_path_name(VALUE env, VALUE path, char *room)
{
    if (path == Qundef) path = text_key(env, keys.path);
    if (!RB_TYPE_P(path, T_STRING)) path = Qnil;
    const char *verb = request_verb(env);
    size_t bytes = NIL_P(path) ? 0 : (size_t)RSTRING_LEN(path);
    const char *start = bytes ? RSTRING_PTR(path) : "/";
    size_t word = request_word(start, bytes);
    if (!word) start = bytes == 0 || (bytes == 1 && *start == '/') ? "/" : "/:id";
    if (!shows_paths) return seg_text(verb);
    size_t used = strlen(verb), more = word ? word : strlen(start);
    memcpy(room, verb, used);
    room[used++] = ' ';
    memcpy(room + used, start, more);
    return (seg_text_t){room, used + more};
}

static bool request_id_clean(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!ISALNUM((unsigned char)text[i]) && !strchr("_-@", text[i])) return false;
    return bytes && bytes <= SEG_ID_BYTES;
}

seg_text_t request_id(VALUE env)
{
    VALUE id = text_key(env, keys.rails_id);
    if (NIL_P(id)) id = text_key(env, keys.id);
    if (NIL_P(id)) return seg_text("");
    seg_text_t text = {RSTRING_PTR(id), (size_t)RSTRING_LEN(id)};
    return request_id_clean(text.text, text.bytes) ? text : seg_text("");
}

#define TRACE_AT 3 /* version, trace, span, flags: 00-<32 digits>-<16 digits>-01 */
#define TRACE_LEAST_BYTES 55

bool request_trace(VALUE env, unsigned char *trace)
{
    VALUE header = text_key(env, keys.trace);
    if (NIL_P(header) || RSTRING_LEN(header) < TRACE_LEAST_BYTES) return false;
    text_trace_bytes(RSTRING_PTR(header) + TRACE_AT, trace);
    static const unsigned char none[SEG_TRACE_BYTES];
    return memcmp(trace, none, SEG_TRACE_BYTES) != 0;
}

/* show_paths(on): whether a request without a name is shown with the first segment of its path. */
static VALUE request_show_paths(VALUE self, VALUE on)
{
    shows_paths = RTEST(on);
    return on;
}

void request_texts_prepare(VALUE probe)
{
    rb_define_singleton_method(probe, "show_paths", request_show_paths, 1);
    keys.verb = open_text("REQUEST_METHOD");
    keys.path = open_text("PATH_INFO");
    keys.rails_id = open_text("action_dispatch.request_id");
    keys.id = open_text("HTTP_X_REQUEST_ID");
    keys.trace = open_text("HTTP_TRACEPARENT");
}
