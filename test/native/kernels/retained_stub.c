/* unit/retained.c follows objects of Ruby, of which there are none here: no unit is watched. */
#include "unit/retained.h"

uint64_t retained_due = UINT64_MAX;
uint64_t retained_handle;

void retained_begin(const unit_t *u, uint64_t t)
{
}
