/*
 * Holdup::ProcessWatcher: starts a program that no wait of the application finds. Independent of the probe.
 *
 * A child that ends gives its parent a SIGCHLD, and every wait without a pid (`Process.waitall`, a server's
 * master that reaps its workers) finds it or waits for it. An orphan does the same to the first process of
 * a container, which is often the application itself. So a small process stands between the two, the watcher:
 * it starts the program, waits for it, and reports its end through a pipe. The watcher itself is a clone that
 * sends no signal when it ends. Linux shows such a child only to those who wait with __WCLONE or __WALL.
 * execve would make an ordinary child of it, so the watcher goes on as a copy of the application, and gives
 * the copied memory back. Where the kernel has no such child, the watcher is an orphan.
 */
#include <ruby.h> /* first: its configuration has _GNU_SOURCE */
#include <ruby/thread.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "init.h"
#include "process/watcher_memory.h"

#ifndef NSIG
#define NSIG 65
#endif

typedef struct {
    char **arguments;
    char **environment;
    const char *folder; /* NULL: the current one */
    int input;
    int report;
    pid_t watcher; /* 0: an orphan, which its new parent reaps */
    int error;
} wat_t;

/* What the pipe carries, in this order. */
typedef struct {
    int32_t pid;
    int32_t error; /* errno when the program could not be started */
} wat_started_t;

typedef struct {
    int32_t exit_status; /* -1: it was killed */
    int32_t signal;
} wat_ended_t;

/* Descriptors of the watcher. The program gets the first three. */
enum { WAT_REPORT = 3, WAT_OTHERS = 4, WAT_MOST_CLOSED = 1 << 16 };

static void wat_close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
    long limit = sysconf(_SC_OPEN_MAX);
    if (limit < 0 || limit > WAT_MOST_CLOSED) limit = WAT_MOST_CLOSED;
    for (int file = first; file < limit; file++) close(file);
}

/*
 * Standard error stays the application's. All else that it has open is closed first: its end of the pipe that
 * is the program's input, its listening sockets, and the lock on its segment, which must end with it.
 */
static bool wat_arrange_files(const wat_t *wat)
{
    int report = fcntl(wat->report, F_DUPFD, WAT_OTHERS); /* out of the way of the others */
    int input = fcntl(wat->input, F_DUPFD, WAT_OTHERS);
    int nothing = open("/dev/null", O_WRONLY);
    bool done = report >= 0 && input >= 0 && nothing >= 0 && dup2(input, STDIN_FILENO) >= 0 &&
                dup2(nothing, STDOUT_FILENO) >= 0 && dup2(report, WAT_REPORT) >= 0 &&
                fcntl(WAT_REPORT, F_SETFD, FD_CLOEXEC) == 0;
    int error = errno;
    wat_close_from(WAT_OTHERS);
    errno = error;
    return done;
}

/* Ruby's handlers would run in a copy of its memory. What the application ignores, the program ignores. */
static void wat_default_signals(void)
{
    struct sigaction ignored, standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        if (sigaction(number, NULL, &ignored) != 0) continue;
        if (ignored.sa_handler != SIG_IGN || number == SIGCHLD) sigaction(number, &standard, NULL);
    }
}

static void wat_execute(const wat_t *wat)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* when somebody kills the watcher, another pair is started */
#endif
    execve(wat->arguments[0], wat->arguments, wat->environment);
}

static wat_started_t wat_start_program(const wat_t *wat)
{
    volatile int error = 0; /* in memory that the child of vfork shares */
    if (wat->folder && chdir(wat->folder) != 0) return (wat_started_t){.error = errno};
    pid_t pid = vfork();
    if (pid == 0) {
        wat_execute(wat);
        error = errno;
        _exit(127);
    }
    if (pid < 0) error = errno;
    if (pid > 0 && error) waitpid(pid, NULL, 0);
    return (wat_started_t){.pid = error ? 0 : pid, .error = error};
}

static bool wat_write(const void *bytes, size_t size)
{
    return write(WAT_REPORT, bytes, size) == (ssize_t)size;
}

/*
 * All signals are blocked: only SIGKILL ends it before the program, also where the application's process
 * group gets a signal.
 */
static void wat_watch(const wat_t *wat)
{
    wat_default_signals();
    wat_started_t started = {0};
    if (wat_arrange_files(wat)) started = wat_start_program(wat);
    else started.error = errno;
    for (int file = 0; file < WAT_REPORT; file++) close(file);
    if (!wat_write(&started, sizeof(started)) && !started.pid) _exit(1);
    if (!started.pid) _exit(0);
    if (chdir("/") != 0) _exit(1);
#ifdef __linux__
    prctl(PR_SET_NAME, "holdup-watcher");
#endif
    wat_give_memory_back();
    int status;
    while (waitpid(started.pid, &status, 0) < 0) {
        if (errno != EINTR) _exit(1);
    }
    wat_ended_t ended = {.exit_status = -1};
    if (WIFEXITED(status)) ended.exit_status = WEXITSTATUS(status);
    else ended.signal = WTERMSIG(status);
    _exit(wat_write(&ended, sizeof(ended)) ? 0 : 1);
}

/* A clone without a signal, or else an orphan. */
static void wat_clone(wat_t *wat)
{
#ifdef __linux__
    /* Those of the program that this process was before an exec; others end with a signal. */
    while (waitpid(-1, NULL, __WCLONE | WNOHANG) > 0) continue;
    wat->watcher = (pid_t)syscall(SYS_clone, 0UL, 0UL, 0UL, 0UL, 0UL);
    if (wat->watcher == 0) wat_watch(wat);
    if (wat->watcher > 0) return;
#endif
    pid_t between = fork();
    if (between == 0) {
        if (fork() == 0) wat_watch(wat);
        _exit(0);
    }
    wat->watcher = 0;
    if (between < 0) wat->error = errno;
    else while (waitpid(between, NULL, 0) < 0 && errno == EINTR) continue;
}

/* The GVL is released here: copying the page tables of a large process takes milliseconds. */
static void *wat_start_without_gvl(void *pointer)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    wat_clone(pointer);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return NULL;
}

/* Copied, because the GC may move a string while the GVL is released. */
static char **wat_words(VALUE list, volatile VALUE *room)
{
    long count = RARRAY_LEN(list);
    size_t bytes = 0;
    for (long i = 0; i < count; i++) {
        VALUE word = rb_ary_entry(list, i);
        StringValueCStr(word);
        bytes += (size_t)RSTRING_LEN(word) + 1;
    }
    char **words = rb_alloc_tmp_buffer(room, (long)((size_t)(count + 1) * sizeof(char *) + bytes));
    char *text = (char *)(words + count + 1);
    for (long i = 0; i < count; i++) {
        VALUE word = rb_ary_entry(list, i);
        size_t length = (size_t)RSTRING_LEN(word) + 1;
        words[i] = memcpy(text, RSTRING_PTR(word), length);
        text += length;
    }
    words[count] = NULL;
    return words;
}

/*
 * start(command, environment, folder, input, report)
 * @param command [Array<String>] path of the program, and its arguments
 * @param environment [Array<String>] NAME=value, all of it
 * @param folder [String, nil] where it starts; nil: here
 * @param input [Integer] descriptor that becomes its standard input
 * @param report [Integer] descriptor that gets two int32 when it was started (pid, errno), and two when it
 *   ended (exit status or -1, signal)
 * @return [Integer] pid of the watcher, for `reap`; 0 when another process is its parent
 * @raise [SystemCallError] the watcher could not be started
 */
static VALUE wat_start(VALUE self, VALUE command, VALUE environment, VALUE folder, VALUE input, VALUE report)
{
    volatile VALUE rooms[3];
    wat_t wat = {.input = NUM2INT(input), .report = NUM2INT(report)};
    Check_Type(command, T_ARRAY);
    Check_Type(environment, T_ARRAY);
    if (RARRAY_LEN(command) == 0) rb_raise(rb_eArgError, "no program");
    wat.arguments = wat_words(command, &rooms[0]);
    wat.environment = wat_words(environment, &rooms[1]);
    VALUE folders = NIL_P(folder) ? rb_ary_new() : rb_ary_new_from_args(1, folder);
    wat.folder = wat_words(folders, &rooms[2])[0];
    rb_thread_call_without_gvl(wat_start_without_gvl, &wat, NULL, NULL);
    for (int i = 0; i < 3; i++) rb_free_tmp_buffer(&rooms[i]);
    if (wat.error) rb_syserr_fail(wat.error, "holdup-watcher");
    return INT2NUM(wat.watcher);
}

/*
 * reap(pid): the kernel forgets a watcher that has reported the end. Waits for the instant until it is gone.
 */
static VALUE wat_reap(VALUE self, VALUE pid)
{
#ifdef __linux__
    pid_t watcher = NUM2INT(pid);
    while (watcher > 0 && waitpid(watcher, NULL, __WCLONE) < 0 && errno == EINTR) continue;
#endif
    return Qnil;
}

void process_watcher_init(VALUE holdup)
{
    VALUE module = rb_define_module_under(holdup, "ProcessWatcher");
    rb_define_singleton_method(module, "start", wat_start, 5);
    rb_define_singleton_method(module, "reap", wat_reap, 1);
}
