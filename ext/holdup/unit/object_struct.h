/* Ruby objects whose fields C reads: typed data that is a struct which begins with VALUEs. */
#ifndef HOLDUP_OBJECT_STRUCT_H
#define HOLDUP_OBJECT_STRUCT_H

#include <ruby.h>

#define OBJECT_FIELDS(struct_t) (sizeof(struct_t) / sizeof(VALUE))

/*
 * Defines `type`, and type##_allocate for rb_define_alloc_func: an instance with all fields nil. `objects`:
 * how many VALUEs the struct begins with.
 */
#define OBJECT_STRUCT_AS(linkage, type, struct_t, objects, name, protection)                                \
    static void type##_mark(void *data)                                                                     \
    {                                                                                                       \
        const VALUE *fields = data;                                                                         \
        for (size_t i = 0; i < (objects); i++) rb_gc_mark(fields[i]);                                       \
    }                                                                                                       \
    static size_t type##_size(const void *data)                                                             \
    {                                                                                                       \
        return sizeof(struct_t);                                                                            \
    }                                                                                                       \
    linkage const rb_data_type_t type = {                                                                   \
        .wrap_struct_name = name,                                                                           \
        .function = {.dmark = type##_mark, .dfree = RUBY_DEFAULT_FREE, .dsize = type##_size},               \
        .flags = RUBY_TYPED_FREE_IMMEDIATELY | (protection)};                                               \
    static VALUE type##_allocate(VALUE class)                                                               \
    {                                                                                                       \
        struct_t *s;                                                                                        \
        VALUE object = TypedData_Make_Struct(class, struct_t, &type, s);                                    \
        for (size_t i = 0; i < (objects); i++) ((VALUE *)s)[i] = Qnil;                                      \
        return object;                                                                                      \
    }

/*
 * For instances that are few and live as long as the process. They have no write barriers: the collector
 * looks at them each time.
 */
#define OBJECT_STRUCT(type, struct_t, name)                                                                 \
    OBJECT_STRUCT_AS(static, type, struct_t, OBJECT_FIELDS(struct_t), name, 0)

/* For instances that are many and die young: who writes a field does so with RB_OBJ_WRITE. */
#define YOUNG_OBJECT_STRUCT(linkage, type, struct_t, objects, name)                                         \
    OBJECT_STRUCT_AS(linkage, type, struct_t, objects, name, RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_EMBEDDABLE)

#endif
