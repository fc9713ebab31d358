/*
 * Accounts of what threads do outside of units, by the label that Ruby code gives a thread. The caller holds
 * the GVL.
 *
 * There are so many. When all are taken, the one whose last thread ended longest ago gets the new label, with
 * a new generation. Its totals go on: what earlier labels had of them is `before`.
 */
#ifndef HOLDUP_ACCOUNTS_H
#define HOLDUP_ACCOUNTS_H

#include "hook/thread_clock.h"

#define ACCOUNT_LABEL_BYTES 64
#define ACCOUNTS 62 /* and the two reserved ones */
#define ACCOUNT_BITS 8 /* of a number that names an account together with its generation */

typedef struct {
    char label[ACCOUNT_LABEL_BYTES];
    totals_t totals;
    totals_t before;       /* as they were when the label came */
    totals_t carried;      /* as they were when the segment was opened: an earlier segment has them */
    uint64_t emptied;      /* the larger, the later its last thread ended */
    uint64_t slot;         /* slot + 1 in the open segment; 0: none */
    uint32_t generation;   /* labels that it had before */
    uint32_t written;      /* the generation that its slot shows */
    uint32_t threads;      /* that have the label */
} account_t;

struct accounts {
    account_t all[ACCOUNTS + 2];
    uint32_t count;
    pair_party_t *parties; /* of threads that have ended, with the number of their account */
    uint64_t emptied;      /* accounts that their last thread has left */
    uint64_t refused;      /* threads that share an account, because all were taken */
};

SHARED struct accounts accounts;

/* The thread's account is the one with that label, which is made when it is new. */
void account_assign(tclock_t *c, const char *label);

/* The thread has ended. */
void account_leave(const tclock_t *c);

/* A number that names the account of a thread for good, and the label of that number. */
uint64_t account_name(const tclock_t *c);
const char *account_label(uint64_t name);

/*
 * Slot + 1 of the thread's account in the segment; 0: it has none yet. A slot that is used again shows other
 * names, too, so there it is that of the account that several threads share.
 */
uint32_t account_series(const tclock_t *c);

/* The thread has ended: its party is finished by `accounts_finish_parties`. Of the main Ractor only. */
void account_keep_party(const tclock_t *c);

void accounts_finish_parties(void);

/* Moves what the thread did outside of units since the last time to its account. */
void account_publish(tclock_t *c, uint64_t t);

void accounts_publish_all(uint64_t t);

/* Accounts whose label a thread has. */
uint64_t accounts_in_use(void);

/* A new segment has no slots of accounts, and gets what is counted from now on. */
void accounts_begin_segment(void);

/* In a forked child, whose only thread has no label yet. */
void accounts_reset(void);

#endif
