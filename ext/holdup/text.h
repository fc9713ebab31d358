/*
 * Names as the segment takes them: at most so many bytes, valid UTF-8, no control characters.
 */
#ifndef HOLDUP_TEXT_H
#define HOLDUP_TEXT_H

#include <ruby.h>

#include "segment.h"

/* A sane copy in `room`: other bytes than valid UTF-8 become '?', so do control characters. */
seg_text_t text_sanitise(VALUE string, char *room, size_t limit);

/* The same; without a copy when the string is fine already. What had to change is counted in the segment. */
seg_text_t text_of(VALUE string, char *room, size_t limit);

/* A path as it can be asked for again: printable ASCII without spaces, and not too long; else none. */
seg_text_t text_path(VALUE string);

/* The id of a trace, 32 hexadecimal digits, as bytes; zeros for anything else. */
void text_trace(VALUE string, unsigned char *trace);

#endif
