/* Names as the segment takes them: at most so many bytes, valid UTF-8, no control characters. */
#ifndef HOLDUP_TEXT_H
#define HOLDUP_TEXT_H

#include <ruby.h>

#include "segment/segment.h"

/* A clean copy in `room`: control characters and bytes that are not valid UTF-8 become '?'. */
seg_text_t text_sanitise(VALUE string, char *room, size_t limit);

/* The same without a copy when the string is fine already. Changes are counted in the segment. */
seg_text_t text_of(VALUE string, char *room, size_t limit);

/* The same, and changes are not counted: for names that are counted when the unit is recorded. */
seg_text_t text_shown(VALUE string, char *room, size_t limit);

/* A path that can be requested again: printable ASCII without spaces, not too long; else empty. */
seg_text_t text_path(VALUE string);

/* 32 hexadecimal digits as bytes; zeros for anything else. */
void text_trace_bytes(const char *digits, unsigned char *trace);

/* The id of a trace likewise, which has so many digits. */
void text_trace(VALUE string, unsigned char *trace);

#endif
