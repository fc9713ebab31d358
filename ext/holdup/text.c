#include "text.h"

#include <ruby/encoding.h>
#include <string.h>

#define TEXT_BYTES UINT64_C(0x0101010101010101) /* times a number: that number in each byte */

/* Whether all is printable ASCII. Of eight bytes at once: none is below 0x20, none above 0x7e. */
static bool text_clean(const char *text, long bytes)
{
    for (uint64_t word; bytes >= 8; text += 8, bytes -= 8) {
        memcpy(&word, text, 8);
        if (((word - TEXT_BYTES * 0x20) | (word + TEXT_BYTES) | word) & (TEXT_BYTES * 0x80)) return false;
    }
    for (long i = 0; i < bytes; i++)
        if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e) return false;
    return true;
}

seg_text_t text_sanitise(VALUE string, char *room, size_t limit)
{
    const char *from = RSTRING_PTR(string), *end = from + RSTRING_LEN(string);
    rb_encoding *utf8 = rb_utf8_encoding();
    size_t used = 0;
    while (from < end && used < limit) {
        int length = rb_enc_precise_mbclen(from, end, utf8);
        bool valid = MBCLEN_CHARFOUND_P(length) && (unsigned char)*from >= 0x20 && *from != 0x7f;
        size_t bytes = valid ? (size_t)MBCLEN_CHARFOUND_LEN(length) : 1;
        if (used + bytes > limit) break;
        if (valid) memcpy(room + used, from, bytes);
        else room[used] = '?';
        used += bytes;
        from += bytes;
    }
    seg_text_t text = {room, used};
    return text;
}

seg_text_t text_shown(VALUE string, char *room, size_t limit)
{
    seg_text_t text = {"", 0};
    if (!RB_TYPE_P(string, T_STRING)) return text;
    text.text = RSTRING_PTR(string);
    text.bytes = (size_t)RSTRING_LEN(string);
    if (text.bytes <= limit && text_clean(text.text, (long)text.bytes)) return text;
    return text_sanitise(string, room, limit);
}

seg_text_t text_of(VALUE string, char *room, size_t limit)
{
    seg_text_t sane = text_shown(string, room, limit);
    if (!RB_TYPE_P(string, T_STRING)) return sane;
    bool same = sane.bytes == (size_t)RSTRING_LEN(string) &&
                (sane.text == RSTRING_PTR(string) || !memcmp(sane.text, RSTRING_PTR(string), sane.bytes));
    if (!same) SEG_HEADER->counters[SEG_P_SANITISED]++;
    return sane;
}

seg_text_t text_path(VALUE string)
{
    seg_text_t none = {"", 0};
    if (!RB_TYPE_P(string, T_STRING) || RSTRING_LEN(string) > SEG_PATH_BYTES) return none;
    seg_text_t path = {RSTRING_PTR(string), (size_t)RSTRING_LEN(string)};
    if (!path.bytes || *path.text != '/' || memchr(path.text, ' ', path.bytes) ||
        !text_clean(path.text, (long)path.bytes))
        return none;
    return path;
}

static int text_digit(char digit)
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

void text_trace_bytes(const char *digits, unsigned char *trace)
{
    for (int i = 0; i < SEG_TRACE_BYTES; i++) {
        int high = text_digit(digits[2 * i]), low = text_digit(digits[2 * i + 1]);
        if (high < 0 || low < 0) {
            memset(trace, 0, SEG_TRACE_BYTES);
            return;
        }
        trace[i] = (unsigned char)(high << 4 | low);
    }
}

void text_trace(VALUE string, unsigned char *trace)
{
    memset(trace, 0, SEG_TRACE_BYTES);
    if (!RB_TYPE_P(string, T_STRING) || RSTRING_LEN(string) != 2 * SEG_TRACE_BYTES) return;
    text_trace_bytes(RSTRING_PTR(string), trace);
}
