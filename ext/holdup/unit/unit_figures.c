/*
 * UnitFigures: the numbers of an ended unit are copied here as they are, and become Ruby's objects when
 * somebody reads them. While the unit is open, the object only refers to it.
 */
#include "unit/unit_figures.h"

#include <stddef.h>
#include <string.h>

#include "unit/object_struct.h"
#include "unit/open_unit.h"

/* The objects come first, so that one loop marks them. */
typedef struct {
    VALUE unit; /* nil: it has ended */
    VALUE recorder, kind, name, waits, calls;
    bool known; /* whether the unit has ended and was not left out */
    uint64_t numbers[MEASUREMENT_WORDS];
} unit_figures_t;

#define OBJECTS (offsetof(unit_figures_t, known) / sizeof(VALUE))

YOUNG_OBJECT_STRUCT(static, unit_figures_type, unit_figures_t, OBJECTS, "Holdup::Probe::FiguresFields")

static unit_figures_t *of(VALUE self)
{
    return RTYPEDDATA_GET_DATA(self);
}

VALUE unit_figures_new(VALUE class)
{
    return unit_figures_type_allocate(class);
}

#define SET(self, field, value) RB_OBJ_WRITE(self, &of(self)->field, value)

void unit_figures_complete(VALUE self, VALUE unit, const figures_t *final)
{
    unit_figures_t *f = of(self);
    SET(self, kind, open_of(unit)->kind);
    SET(self, name, open_of(unit)->name);
    SET(self, waits, final->waits);
    SET(self, calls, final->calls);
    f->known = final->known;
    if (final->known) memcpy(f->numbers, final->numbers, sizeof(f->numbers));
    f->unit = Qnil;
    rb_obj_freeze(self);
}

/* initialize(unit, recorder): `unit`: an open one */
static VALUE unit_figures_initialize(VALUE self, VALUE unit, VALUE recorder)
{
    rb_check_frozen(self);
    SET(self, unit, unit);
    SET(self, recorder, recorder);
    return Qnil;
}

static VALUE unit_figures_initialize_copy(VALUE self, VALUE other)
{
    rb_check_frozen(self);
    const unit_figures_t *from = rb_check_typeddata(other, &unit_figures_type);
    unit_figures_t *to = of(self);
    for (size_t i = 0; i < OBJECTS; i++)
        RB_OBJ_WRITE(self, &((VALUE *)to)[i], ((const VALUE *)from)[i]);
    to->known = from->known;
    memcpy(to->numbers, from->numbers, sizeof(to->numbers));
    return self;
}

#define READER(field)                                                                                      \
    static VALUE unit_figures_##field(VALUE self)                                                          \
    {                                                                                                      \
        return of(self)->field;                                                                            \
    }
READER(unit)
READER(recorder)
READER(kind)
READER(name)
READER(waits)
READER(calls)

/* final_number(place): of an ended unit, in the order of Holdup::Measurement; nil: unknown */
static VALUE unit_figures_final_number(VALUE self, VALUE place)
{
    long index = NUM2LONG(place);
    if (!of(self)->known || index < 0 || index >= MEASUREMENT_WORDS) return Qnil;
    return figures_number(of(self)->numbers[index]);
}

/* final_numbers: all of them; nil: the unit was left out */
static VALUE unit_figures_final_numbers(VALUE self)
{
    return of(self)->known ? figures_numbers(of(self)->numbers) : Qnil;
}

void unit_figures_init(VALUE probe)
{
    VALUE class = rb_define_class_under(probe, "FiguresFields", rb_cObject);
    rb_define_alloc_func(class, unit_figures_new);
    rb_define_method(class, "initialize", unit_figures_initialize, 2);
    rb_define_method(class, "initialize_copy", unit_figures_initialize_copy, 1);
    rb_define_private_method(class, "unit", unit_figures_unit, 0);
    rb_define_private_method(class, "recorder", unit_figures_recorder, 0);
    rb_define_private_method(class, "final_kind", unit_figures_kind, 0);
    rb_define_private_method(class, "final_name", unit_figures_name, 0);
    rb_define_private_method(class, "final_waits", unit_figures_waits, 0);
    rb_define_private_method(class, "final_calls", unit_figures_calls, 0);
    rb_define_private_method(class, "final_number", unit_figures_final_number, 1);
    rb_define_private_method(class, "final_numbers", unit_figures_final_numbers, 0);
}
