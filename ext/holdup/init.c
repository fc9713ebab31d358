/* The extension's entry. Nothing but Init_holdup is exported (-fvisibility=hidden). */
#include "init.h"

#include "hook/hook.h"

RUBY_FUNC_EXPORTED void Init_holdup(void)
{
    rb_ext_ractor_safe(true);
    VALUE holdup = rb_define_module("Holdup");
    VALUE probe = rb_define_module_under(holdup, "Probe");
    fixed_work_init(holdup);
    histogram_dumps_init(holdup);
    kernel_file_init(holdup);
    mass_draws_init(holdup);
    process_watcher_init(holdup);
    replay_init(holdup);
    slot_dumps_init(holdup);
    hook_prepare(holdup);
    probe_init(probe);
    alloc_init(probe);
    unit_init(probe);
    open_unit_init(probe);
    request_edges_init(probe);
    job_edges_init(probe);
    calls_init(probe);
    figures_init(probe);
    queries_init(probe);
    connections_init(probe);
    repeats_init(probe);
    transactions_init(probe);
    retained_init(probe);
    tick_init(probe);
    segment_init(probe);
    capture_init(probe);
    capture_catch_init(probe);
    capture_samples_init(probe);
    place_frames_init(probe);
    hold_samples_init(probe);
    lock_samples_init(probe);
}
