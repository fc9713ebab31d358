#include "process/watcher_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
enum { WAT_LARGE = 256 * 1024, WAT_LINE = 8192 };

/* One line of /proc/self/maps: 7f00-7fff rw-p 00000000 00:00 0   [heap] */
static void wat_unmap_line(const char *line, uintptr_t stack, uintptr_t thread)
{
    uintptr_t range[2] = {0, 0};
    for (int i = 0; i < 2; i++, line++) {
        for (; *line && *line != '-' && *line != ' '; line++) {
            range[i] = range[i] * 16 + (uintptr_t)(*line <= '9' ? *line - '0' : *line - 'a' + 10);
        }
        if (!*line) return;
    }
    if (line[1] != 'w') return;
    bool shared = line[3] == 's';
    for (int spaces = 0; *line && spaces < 3; line++) spaces += *line == ' ';
    bool anonymous = line[0] == '0' && line[1] == ' ';
    bool named = strstr(line, "[stack]") || strstr(line, "[heap]");
    bool needed = (range[0] <= stack && stack < range[1]) || (range[0] <= thread && thread < range[1]);
    bool large = range[1] - range[0] >= WAT_LARGE;
    if (!needed && (shared || (anonymous && (large || named)))) {
        munmap((void *)range[0], range[1] - range[0]);
    }
}

void wat_give_memory_back(void)
{
    char text[WAT_LINE];
    size_t used = 0;
    int file = open("/proc/self/maps", O_RDONLY);
    uintptr_t stack = (uintptr_t)text, thread = (uintptr_t)&errno;
    for (ssize_t more; file >= 0 && (more = read(file, text + used, sizeof(text) - 1 - used)) > 0;) {
        used += (size_t)more;
        text[used] = '\0';
        char *line = text;
        for (char *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            wat_unmap_line(line, stack, thread);
        }
        used = (size_t)(text + used - line);
        memmove(text, line, used);
    }
    if (file >= 0) close(file);
}
#else
void wat_give_memory_back(void)
{
}
#endif
