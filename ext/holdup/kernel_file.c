/*
 * Holdup::KernelFile: small files that the kernel makes when they are read (/proc, /sys/fs/cgroup). A tick
 * reads some, and on a busy process each File.read would wait for its turn at the GVL again. Such a file
 * takes some microseconds, so it is read with the GVL. Independent of the probe.
 */
#include <fcntl.h>
#include <ruby.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

#define KERNEL_FILE_BYTES 8192

static size_t kernel_file_fill(int file, char *room)
{
    size_t used = 0;
    for (ssize_t more; used < KERNEL_FILE_BYTES; used += (size_t)more) {
        more = read(file, room + used, KERNEL_FILE_BYTES - used);
        if (more <= 0) break;
    }
    return used;
}

/*
 * read(path): its first KERNEL_FILE_BYTES
 * @return [String, nil] nil when it can't be read, or is no regular file
 */
static VALUE kernel_file_read(VALUE self, VALUE path)
{
    char room[KERNEL_FILE_BYTES];
    struct stat found;
    int file = open(StringValueCStr(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return Qnil;
    bool regular = fstat(file, &found) == 0 && S_ISREG(found.st_mode);
    size_t bytes = regular ? kernel_file_fill(file, room) : 0;
    close(file);
    return regular ? rb_str_new(room, (long)bytes) : Qnil;
}

void kernel_file_init(VALUE holdup)
{
    VALUE module = rb_define_module_under(holdup, "KernelFile");
    rb_define_singleton_method(module, "read", kernel_file_read, 1);
}
