#include "capture/capture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/capture_stack.h"
#include "capture/capture_watch.h"
#include "clock.h"
#include "hook/blame.h"
#include "private_file.h"
#include "segment/segment_layout.h"

#define CAPF_TRIALS 1024
/*
 * Bytes of the tmpfs that a capture leaves free: segments grow there, and a unit without a series is worse
 * than no capture.
 */
#define CAPF_SPARED UINT64_C(8000000)
#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif


pthread_mutex_t capf_lock = PTHREAD_MUTEX_INITIALIZER;

static char capf_path[4096]; /* of the capture that is on */

static uint64_t capf_page(uint64_t bytes)
{
    return (bytes + SEG_PAGE - 1) / SEG_PAGE * SEG_PAGE;
}

static uint64_t capf_stacks_offset(const cap_header_t *h)
{
    return h->names_offset + capf_page(h->name_capacity * sizeof(cap_name_t));
}

static void capf_lay_out(cap_header_t *h, const capf_request_t *request)
{
    h->version = CAP_VERSION;
    h->header_bytes = CAP_HEADER_BYTES;
    h->pid = (uint64_t)getpid();
    h->process_start = file_process_start();
    h->rate = clk.rate;
    h->capacity = request->capacity;
    h->event_bytes = sizeof(cap_event_t);
    h->threads_offset = CAP_HEADER_BYTES;
    h->thread_capacity = CAP_THREADS;
    h->thread_bytes = sizeof(cap_thread_t);
    h->names_offset = h->threads_offset + capf_page(CAP_THREADS * sizeof(cap_thread_t));
    h->name_capacity = request->names;
    h->name_bytes = sizeof(cap_name_t);
    h->events_offset = capf_stacks_offset(h) + capf_page(stk_bytes(request->stacks));
    h->worker_index = -1;
}

static int capf_reserve(int file, size_t bytes)
{
    struct statvfs system;
    if (fstatvfs(file, &system)) return errno;
    if (system.f_blocks && (uint64_t)system.f_bavail * system.f_frsize < bytes + CAPF_SPARED) return ENOSPC;
    return file_allocate(file, 0, (off_t)bytes);
}

static int capf_map(const char *hidden, size_t bytes)
{
    unlink(hidden); /* the name has our pid, so it is of a dead process with the same pid */
    pthread_mutex_lock(&capf_lock);
    cap.file = file_create_private(hidden);
    pthread_mutex_unlock(&capf_lock);
    if (cap.file < 0) return errno;
    int failed = capf_reserve(cap.file, bytes);
    if (failed) return failed;
    pthread_mutex_lock(&capf_lock);
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, cap.file, 0);
    if (base == MAP_FAILED) failed = errno;
    else cap.base = base, cap.mapped = bytes;
    pthread_mutex_unlock(&capf_lock);
    return failed;
}

/* Measures what an event costs here, by writing a thousand of them before there is a reader. */
static void capf_measure_event_cost(cap_header_t *h)
{
    uint64_t from = clk_read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < CAPF_TRIALS; i++) cap_write((cap_event_t){.time = clk_now()});
    h->event_cost_ps = (clk_read_ns(CLOCK_THREAD_CPUTIME_ID) - from) * 1000 / CAPF_TRIALS;
    memset(cap.events, 0, CAPF_TRIALS * sizeof(cap_event_t));
    h->head = 0;
}

static void capf_forget(void)
{
    pthread_mutex_lock(&capf_lock);
    if (cap.base) munmap(cap.base, cap.mapped);
    if (cap.file >= 0) close(cap.file);
    free(cap.own_limits);
    cap.own_limits = NULL;
    cap.base = NULL;
    cap.header = NULL;
    cap.events = NULL;
    cap.file = -1;
    stk_forget();
    pthread_mutex_unlock(&capf_lock);
}

static void capf_write_header(const cap_header_t *layout, const capf_request_t *request)
{
    cap.header = (cap_header_t *)cap.base;
    *cap.header = *layout;
    if (request->stacks) stk_lay_out(capf_stacks_offset(layout));
    cap.events = (cap_event_t *)(cap.base + layout->events_offset);
    cap.mask = request->capacity - 1;
    capf_measure_event_cost(cap.header);
    memcpy(cap.header->magic, CAP_MAGIC, sizeof(cap.header->magic));
}

void *capf_make(void *given)
{
    capf_request_t *request = given;
    request->done = true;
    char hidden[sizeof(request->path) + 8];
    cap_header_t layout;
    memset(&layout, 0, sizeof(layout));
    capf_lay_out(&layout, request);
    snprintf(hidden, sizeof(hidden), "%s.new", request->path);
    request->failed = capf_map(hidden, layout.events_offset + request->capacity * sizeof(cap_event_t));
    if (!request->failed) capf_write_header(&layout, request);
    if (!request->failed && rename(hidden, request->path)) request->failed = errno;
    if (!request->failed) {
        memcpy(capf_path, request->path, sizeof(capf_path));
        return NULL;
    }
    unlink(hidden);
    capf_forget();
    return NULL;
}

static bool capf_named(void)
{
    struct stat own, found;
    return fstat(cap.file, &own) == 0 && lstat(capf_path, &found) == 0 && own.st_dev == found.st_dev &&
           own.st_ino == found.st_ino;
}

/*
 * The capture's file was removed while it was written, perhaps with its folder: another one gets all that it
 * has. Where that is impossible the capture is lost; the process logs that it finds no file.
 */
static void capf_name_again(void)
{
    char hidden[sizeof(capf_path) + 8];
    snprintf(hidden, sizeof(hidden), "%s.new", capf_path);
    unlink(hidden);
    int file = file_create_private(hidden);
    if (file < 0) return;
    int failed = capf_reserve(file, cap.mapped);
    if (!failed) failed = file_write_all(file, cap.base, cap.mapped, 0);
    if (failed || rename(hidden, capf_path)) unlink(hidden);
    close(file);
}

void capf_abandon(void)
{
    cap.on = false;
    cap.writers = 0;
    cap.busy = false;
    watch_abandon();
    capf_forget();
}

void *capf_let_go(void *done)
{
    unsigned spins = 0;
    watch_stop();
    while (!cap_quiet()) blame_spin(&spins);
    __atomic_store_n(&cap.header->state, 1, __ATOMIC_RELEASE);
    if (!capf_named()) capf_name_again();
    capf_forget();
    *(bool *)done = true;
    return NULL;
}
