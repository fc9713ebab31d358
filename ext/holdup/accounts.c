#include "accounts.h"

#include <stdio.h>
#include <string.h>

#include "registry.h"

#define ACCOUNT_UNNAMED 0 /* the account of a thread that has no label yet */
#define ACCOUNT_OTHERS 1

struct accounts accounts = {
    .all = {[ACCOUNT_UNNAMED] = {.label = "thread:(unnamed)"},
            [ACCOUNT_OTHERS] = {.label = "thread:(others)"}}, .count = 2};

uint32_t account_number(const char *label)
{
    for (uint32_t i = 0; i < accounts.count; i++)
        if (!strcmp(accounts.all[i].label, label)) return i;
    if (accounts.count == ACCOUNTS + 2) return ACCOUNT_OTHERS;
    snprintf(accounts.all[accounts.count].label, ACCOUNT_LABEL_BYTES, "%s", label);
    return accounts.count++;
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

void accounts_reset(void)
{
    for (uint32_t i = 0; i < accounts.count; i++) memset(&accounts.all[i].totals, 0, sizeof(totals_t));
}
