#include "hook/accounts.h"

#include <stdio.h>
#include <string.h>

#include "hook/pair_records.h"
#include "hook/registry.h"
#include "segment/segment.h"
#include "unit/unit.h"

#define ACCOUNT_UNNAMED 0 /* the account of a thread that has no label yet */
#define ACCOUNT_OTHERS 1

struct accounts accounts = {
    .all = {[ACCOUNT_UNNAMED] = {.label = "thread:(unnamed)"},
            [ACCOUNT_OTHERS] = {.label = "thread:(others)"}}, .count = 2};

/* The label of the figures of accounts that have another label now. */
static const char account_ended[] = SEG_ENDED_THREADS;

/* The account that is without threads for the longest time; NULL when each has one. */
static account_t *account_to_reuse(void)
{
    account_t *longest = NULL;
    for (uint32_t i = ACCOUNT_OTHERS + 1; i < accounts.count; i++) {
        account_t *a = &accounts.all[i];
        if (!a->threads && (!longest || a->emptied < longest->emptied)) longest = a;
    }
    if (!longest) return NULL;
    longest->before = longest->totals;
    longest->generation++;
    return longest;
}

static account_t *account_new(void)
{
    return accounts.count < ACCOUNTS + 2 ? &accounts.all[accounts.count++] : account_to_reuse();
}

static account_t *account_with(const char *label)
{
    for (uint32_t i = 0; i < accounts.count; i++)
        if (!strcmp(accounts.all[i].label, label)) return &accounts.all[i];
    account_t *a = account_new();
    if (!a) return &accounts.all[ACCOUNT_OTHERS];
    snprintf(a->label, ACCOUNT_LABEL_BYTES, "%s", label);
    return a;
}

void account_leave(const tclock_t *c)
{
    account_t *a = &accounts.all[c->account];
    if (c->account != ACCOUNT_UNNAMED && !--a->threads) a->emptied = ++accounts.emptied;
}

void account_assign(tclock_t *c, const char *label)
{
    if (!strcmp(accounts.all[c->account].label, label)) return;
    account_t *a = account_with(label);
    uint32_t number = (uint32_t)(a - accounts.all);
    if (number == c->account) return;
    if (number == ACCOUNT_OTHERS) accounts.refused++;
    if (number != ACCOUNT_UNNAMED) a->threads++;
    account_leave(c);
    c->account = number;
    if (c->own_party) c->own_party->id = account_name(c) << UNIT_SLOT_BITS;
}

uint64_t account_name(const tclock_t *c)
{
    return (uint64_t)accounts.all[c->account].generation << ACCOUNT_BITS | c->account;
}

const char *account_label(uint64_t name)
{
    const account_t *a = &accounts.all[name & ((1 << ACCOUNT_BITS) - 1)];
    return a->generation == name >> ACCOUNT_BITS ? a->label : account_ended;
}

static uint32_t account_series_of(uint32_t account)
{
    const account_t *a = &accounts.all[account];
    return (uint32_t)(a->generation ? accounts.all[ACCOUNT_OTHERS].slot : a->slot);
}

uint32_t account_series(const tclock_t *c)
{
    return account_series_of(c->account);
}

void account_keep_party(const tclock_t *c)
{
    c->own_party->account = c->account;
    c->own_party->next = accounts.parties;
    accounts.parties = c->own_party;
}

void accounts_finish_parties(void)
{
    for (pair_party_t *party = accounts.parties, *next; party; party = next) {
        uint32_t series = seg.base ? account_series_of(party->account) : PAIR_NAMELESS;
        next = party->next;
        pair_finish(reg.main, party, series);
    }
    accounts.parties = NULL;
}

void account_publish(tclock_t *c, uint64_t t)
{
    totals_t outside = c->outside;
    if (c->follows ? !c->current : !c->open_units) {
        totals_t now;
        tc_totals(c, t, &now); /* as the mark: with the open hold's share of blame */
        totals_t gap = totals_since(&now, &c->mark);
        totals_add(&outside, &gap);
    }
    totals_t more = totals_since(&outside, &c->published);
    totals_add(&accounts.all[c->account].totals, &more);
    c->published = outside;
}

void accounts_publish_all(uint64_t t)
{
    for (tclock_t *c = reg.clocks; c; c = c->next) account_publish(c, t);
    reg_reap(t);
}

uint64_t accounts_in_use(void)
{
    uint64_t used = 0;
    for (uint32_t i = ACCOUNT_OTHERS + 1; i < accounts.count; i++) used += accounts.all[i].threads > 0;
    return used;
}

void accounts_begin_segment(void)
{
    for (pair_party_t *party = accounts.parties; party; party = party->next) {
        pair_clear(party);
        pair_forget_names(party);
    }
    for (uint32_t i = 0; i < accounts.count; i++) {
        account_t *a = &accounts.all[i];
        a->slot = 0;
        a->written = a->generation;
        a->carried = a->totals;
    }
}

void accounts_reset(void)
{
    memset(&accounts.all[ACCOUNT_OTHERS + 1], 0, ACCOUNTS * sizeof(account_t));
    for (uint32_t i = 0; i <= ACCOUNT_OTHERS; i++) {
        account_t *a = &accounts.all[i];
        memset(&a->totals, 0, sizeof(account_t) - offsetof(account_t, totals));
    }
    for (pair_party_t *party = accounts.parties, *next; party; party = next) {
        next = party->next;
        pair_end(reg.main, party); /* the ledger frees it */
    }
    accounts.parties = NULL;
    accounts.count = ACCOUNT_OTHERS + 1;
    accounts.emptied = accounts.refused = 0;
}
