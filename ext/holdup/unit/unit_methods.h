/* The probe's methods that every unit passes through, for open_unit.c. The caller holds the GVL. */
#ifndef HOLDUP_UNIT_METHODS_H
#define HOLDUP_UNIT_METHODS_H

#include <ruby.h>

#include "segment/segment_open_units.h"
#include "unit/figures_methods.h"
#include "unit/unit.h"

/* enter(pool) */
VALUE probe_enter_pool(VALUE pool);

/* record(handle, kind, name, ...). `figures`: gets those of the unit; NULL: nobody asked. */
VALUE probe_record_unit(int argc, const VALUE *argv, figures_t *figures);

/*
 * The unit that has just begun gets a slot in the table of open units. `shown` has what Ruby knows of it; the
 * rest is set here. NULL: it gets none.
 */
unit_t *probe_show_unit(VALUE handle, table_unit_t *shown);

/* Where the table has the unit of that handle. */
table_place_t probe_shown(VALUE handle);

#endif
