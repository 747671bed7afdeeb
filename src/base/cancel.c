/* The cancellation flag: one relaxed atomic, safe in signal handlers. */
#include "gersh/base.h"

void gersh_cancel_request(gersh_cancel *cancel)
{
    __atomic_store_n(&cancel->requested, 1, __ATOMIC_RELAXED);
}

int gersh_cancel_requested(const gersh_cancel *cancel)
{
    return cancel != NULL && __atomic_load_n(&cancel->requested, __ATOMIC_RELAXED) != 0;
}
