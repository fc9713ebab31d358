/* What the rest of the extension has, for programs without Ruby: nothing is asked of it. */
#include "capture/capture_events.h"
#include "hook/allocations.h"
#include "hook/hold_places.h"
#include "hook/registry.h"
#include "segment/segment_record.h"

bool blame_many = true; /* takes the locks */
struct reg reg;

void alloc_read(tclock_t *c, uint64_t hold_from, uint64_t t)
{
    (void)c, (void)hold_from, (void)t;
}

void calls_drop(call_tally_t *tallies)
{
    (void)tallies;
}

void places_drop(hold_tally_t *tallies)
{
    (void)tallies;
}

seg_text_t places_text(uint32_t place)
{
    (void)place;
    return seg_text("");
}

void cap_record_unit(tclock_t *c, const unit_t *u, enum cap_kind kind, uint8_t flags, uint64_t t,
                     uint64_t caused)
{
    (void)c, (void)u, (void)kind, (void)flags, (void)t, (void)caused;
}
