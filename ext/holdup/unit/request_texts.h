/* What a request's environment says when it begins: its name until it has a better one, and its ids. */
#ifndef HOLDUP_REQUEST_TEXTS_H
#define HOLDUP_REQUEST_TEXTS_H

#include <ruby.h>
#include <stdbool.h>

#include "segment/segment.h"

/*
 * The method with the first segment of the path, as UnitName names a request without a route: no query, no
 * ids; and of an application below another path, without that. `path`: see open_begin. `room` has
 * SEG_NAME_BYTES.
 */
seg_text_t request_path_name(VALUE env, VALUE path, char *room);

/*
 * The id that a proxy, or Rails, has given it; empty: none. It counts only if all of it are characters that
 * Rails takes, SEG_ID_BYTES at most.
 */
seg_text_t request_id(VALUE env);

/* The trace of its W3C header. False: none. */
bool request_trace(VALUE env, unsigned char *trace);

void request_texts_prepare(VALUE probe);

#endif
