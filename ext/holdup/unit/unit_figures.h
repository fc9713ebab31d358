/* What UnitFigures is: the object that the application gets of a unit. The caller holds the GVL. */
#ifndef HOLDUP_UNIT_FIGURES_H
#define HOLDUP_UNIT_FIGURES_H

#include <ruby.h>

#include "unit/figures_methods.h"

/* An object of that class without a unit. */
VALUE unit_figures_new(VALUE class);

/* The unit has ended: the object gets its kind, its name and `final`, refers to it no more, and is frozen. */
void unit_figures_complete(VALUE self, VALUE unit, const figures_t *final);

void unit_figures_init(VALUE probe);

#endif
