#include "hook/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "hook/pair_records.h"

#define PAIR_CHUNK 16 /* parties whose memory is taken at once */
#define PAIR_LOOKS 2  /* at parties that have ended, before another one is made */

typedef struct pair_chunk {
    struct pair_chunk *next;
    uint32_t used;
    pair_party_t parties[PAIR_CHUNK];
} pair_chunk_t;

uint32_t pairs_generation;

/* Whether no hold that is kept and no part of another party has it. */
static bool pair_held(const blame_t *b, const pair_party_t *party)
{
    return party->last_put && b->held - party->last_put < BLAME_WINDOW;
}

static void pair_append_ended(blame_t *b, pair_party_t *party)
{
    party->next = NULL;
    if (b->ended) b->ended_last->next = party;
    else b->ended = party;
    b->ended_last = party;
}

/*
 * A party to be used again; NULL: there is none, or it was not found. Those that have ended lie in that
 * order, which is that of their last holds, too. One that another party refers to comes to the end, so those
 * that long units have waited for are passed over now and then.
 */
static pair_party_t *pair_used_before(blame_t *b)
{
    pair_party_t *party = b->free;
    if (party) {
        b->free = party->next;
        return party;
    }
    for (int looks = 0; looks < PAIR_LOOKS; looks++) {
        party = b->ended;
        if (!party || pair_held(b, party)) return NULL;
        b->ended = party->next;
        if (!party->references) return party;
        pair_append_ended(b, party);
    }
    return NULL;
}

/* Only what a party begins with is written, not all its memory. */
static pair_party_t *pair_fresh(blame_t *b)
{
    pair_chunk_t *chunk = b->chunks;
    if (!chunk || chunk->used == PAIR_CHUNK) {
        chunk = malloc(sizeof(*chunk));
        if (!chunk) return NULL;
        chunk->used = 0;
        chunk->next = b->chunks;
        b->chunks = chunk;
    }
    pair_party_t *party = &chunk->parties[chunk->used++];
    pair_make_waits(&party->gvl, party->gvl_parts, PAIR_GVL_PARTS);
    pair_make_waits(&party->lock, party->lock_parts, PAIR_PARTS);
    party->pool = NULL;
    party->account = party->references = party->debts_used = 0;
    party->debts = party->few;
    party->debts_room = PAIR_FEW;
    party->debts_marks = 0;
    for (int i = 0; i < PAIR_FEW; i++) party->few[i].victim = 0;
    return party;
}

pair_party_t *pair_begin(blame_t *b, uint64_t id)
{
    pairs_finish_left_behind(b);
    pair_party_t *party = pair_used_before(b);
    if (!party) party = pair_fresh(b);
    if (!party) return NULL;
    party->id = id;
    party->series = PAIR_NAMELESS;
    party->mark = UINT64_C(1) << (b->begun++ % 64);
    party->last_put = 0;
    party->merged = false;
    party->lock_ns = 0;
    party->next = NULL;
    return party;
}

void pair_end(blame_t *b, pair_party_t *party)
{
    if (party->references || pair_held(b, party)) {
        pair_append_ended(b, party);
        return;
    }
    party->next = b->free;
    b->free = party;
}

typedef struct {
    pair_waits_t waits;
    pair_part_t parts[PAIR_PARTS + 1];
} pair_pool_t;

pair_waits_t *pair_pool_waits(pair_party_t *victim)
{
    if (victim->pool) return victim->pool;
    pair_pool_t *pool = malloc(sizeof(*pool));
    if (!pool) return NULL;
    pair_make_waits(&pool->waits, pool->parts, PAIR_PARTS);
    return victim->pool = &pool->waits;
}

static void pair_merge_waits(pair_waits_t *waits, const pair_waits_t *more)
{
    for (uint32_t i = 0; i < more->parts_used; i++)
        pair_add(waits, more->parts[i].holder, more->parts[i].time);
    for (uint32_t i = 0; i < more->sums_used; i++)
        pair_sum(waits, pair_sum_at(more, i)->series, pair_sum_at(more, i)->time);
    waits->nobody += more->nobody;
    waits->others += more->others;
    waits->unknown += more->unknown;
}

void pair_merge(pair_party_t *outer, pair_party_t *inner)
{
    inner->merged = true;
    pair_merge_waits(&outer->gvl, &inner->gvl);
    pair_merge_waits(&outer->lock, &inner->lock);
}

void pair_clear(pair_party_t *victim)
{
    pair_clear_waits(&victim->gvl);
    pair_clear_waits(&victim->lock);
    if (victim->pool) pair_clear_waits(victim->pool);
}

static void pair_free_chunk(pair_chunk_t *chunk)
{
    for (uint32_t i = 0; i < chunk->used; i++) {
        pair_party_t *party = &chunk->parties[i];
        if (party->debts != party->few) free(party->debts);
        free(party->pool);
    }
    free(chunk);
}

void pairs_reset(blame_t *b)
{
    for (pair_chunk_t *chunk = b->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        pair_free_chunk(chunk);
    }
    b->chunks = NULL;
    b->free = b->ended = b->left_behind = NULL;
    b->held = b->held_to = b->latest = b->charged = b->unknown = b->rests = 0;
    memset(b->holds, 0, sizeof(b->holds));
}
