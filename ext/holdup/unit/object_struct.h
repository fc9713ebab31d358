/*
 * Ruby objects whose fields C reads: typed data that is a struct of VALUEs. Instances are few and live as
 * long as the process, so they have no write barriers: the collector looks at them each time.
 */
#ifndef HOLDUP_OBJECT_STRUCT_H
#define HOLDUP_OBJECT_STRUCT_H

#include <ruby.h>

/* Defines `type`, and type##_allocate for rb_define_alloc_func: an instance with all fields nil. */
#define OBJECT_STRUCT(type, struct_t, name)                                                                  \
    static void type##_mark(void *data)                                                                      \
    {                                                                                                        \
        const VALUE *fields = data;                                                                          \
        for (size_t i = 0; i < sizeof(struct_t) / sizeof(VALUE); i++) rb_gc_mark(fields[i]);                 \
    }                                                                                                        \
    static size_t type##_size(const void *data)                                                              \
    {                                                                                                        \
        return sizeof(struct_t);                                                                             \
    }                                                                                                        \
    static const rb_data_type_t type = {                                                                     \
        .wrap_struct_name = name,                                                                            \
        .function = {.dmark = type##_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = type##_size},                \
        .flags = RUBY_TYPED_FREE_IMMEDIATELY};                                                               \
    static VALUE type##_allocate(VALUE class)                                                                \
    {                                                                                                        \
        struct_t *s;                                                                                         \
        VALUE object = TypedData_Make_Struct(class, struct_t, &type, s);                                     \
        for (size_t i = 0; i < sizeof(struct_t) / sizeof(VALUE); i++) ((VALUE *)s)[i] = Qnil;                \
        return object;                                                                                       \
    }

#endif
