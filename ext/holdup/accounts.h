/*
 * Accounts of what threads do outside of units, by the label that Ruby code gives a thread. The caller holds
 * the GVL.
 */
#ifndef HOLDUP_ACCOUNTS_H
#define HOLDUP_ACCOUNTS_H

#include "thread_clock.h"

#define ACCOUNT_LABEL_BYTES 64
#define ACCOUNTS 62 /* and the two reserved ones */

typedef struct {
    char label[ACCOUNT_LABEL_BYTES];
    totals_t totals;
} account_t;

struct accounts {
    account_t all[ACCOUNTS + 2];
    uint32_t count;
};

SHARED struct accounts accounts;

/* The number of the account with that label, which is made when it is new. */
uint32_t account_number(const char *label);

/* Moves what the thread did outside of units since the last time to its account. */
void account_publish(tclock_t *c, uint64_t t);

void accounts_publish_all(uint64_t t);

/* All counts start again at zero; labels stay. */
void accounts_reset(void);

#endif
