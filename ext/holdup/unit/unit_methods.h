/* The probe's methods that every unit passes through, for open_unit.c. The caller holds the GVL. */
#ifndef HOLDUP_UNIT_METHODS_H
#define HOLDUP_UNIT_METHODS_H

#include <ruby.h>

#include "unit/figures_methods.h"

/* enter(pool) */
VALUE probe_enter_pool(VALUE pool);

/* record(handle, kind, name, ...). `figures`: gets those of the unit; NULL: nobody asked. */
VALUE probe_record_unit(int argc, const VALUE *argv, figures_t *figures);

#endif
