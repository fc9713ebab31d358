/*
 * What Init_holdup calls: each defines the methods and constants of one subject. Their files have no other callers.
 */
#ifndef HOLDUP_INIT_H
#define HOLDUP_INIT_H

#include <ruby.h>

void histogram_dumps_init(VALUE holdup);
void mass_draws_init(VALUE holdup);
void replay_init(VALUE holdup);

#endif
