/*
 * State that several files of the extension share.
 *
 * Hidden also where state is only declared: the compiler then addresses it directly. -fvisibility=hidden
 * covers definitions only, so without this each access in the hook would go through the GOT.
 */
#ifndef HOLDUP_SHARED_H
#define HOLDUP_SHARED_H

#define SHARED extern __attribute__((visibility("hidden")))

#endif
