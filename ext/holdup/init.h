/*
 * What Init_holdup calls: each defines the methods and constants of one subject. Their files have no other
 * callers.
 */
#ifndef HOLDUP_INIT_H
#define HOLDUP_INIT_H

#include <ruby.h>

/* Modules of their own under Holdup. */
void fixed_work_init(VALUE holdup);
void histogram_dumps_init(VALUE holdup);
void kernel_file_init(VALUE holdup);
void mass_draws_init(VALUE holdup);
void process_watcher_init(VALUE holdup);
void replay_init(VALUE holdup);
void slot_dumps_init(VALUE holdup);

/* Methods of Holdup::Probe. */
void probe_init(VALUE probe);
void alloc_init(VALUE probe);
void unit_init(VALUE probe);
void open_unit_init(VALUE probe);
void request_edges_init(VALUE probe);
void job_edges_init(VALUE probe);
void calls_init(VALUE probe);
void figures_init(VALUE probe);
void queries_init(VALUE probe);
void connections_init(VALUE probe);
void repeats_init(VALUE probe);
void transactions_init(VALUE probe);
void retained_init(VALUE probe);
void tick_init(VALUE probe);
void segment_init(VALUE probe);
void capture_init(VALUE probe);
void capture_catch_init(VALUE probe);
void capture_samples_init(VALUE probe);
void place_frames_init(VALUE probe);
void hold_samples_init(VALUE probe);
void lock_samples_init(VALUE probe);

#endif
