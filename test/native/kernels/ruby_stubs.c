/* What Ruby's headers make of the C library's own functions: here these again. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int *rb_errno_ptr(void);
int ruby_snprintf(char *room, size_t bytes, const char *format, ...);
int ruby_vsnprintf(char *room, size_t bytes, const char *format, va_list list);

int *rb_errno_ptr(void)
{
    return &errno;
}

int ruby_vsnprintf(char *room, size_t bytes, const char *format, va_list list)
{
    return vsnprintf(room, bytes, format, list);
}

int ruby_snprintf(char *room, size_t bytes, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(room, bytes, format, list);
    va_end(list);
    return length;
}
