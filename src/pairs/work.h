/* Scratch memory of gersh__pairs_gram, kept from call to call. */
#ifndef GERSH_SRC_PAIRS_WORK_H
#define GERSH_SRC_PAIRS_WORK_H

#include "gersh/base.h"

typedef struct gersh__pairs_work gersh__pairs_work;

gersh_status gersh__pairs_work_new(gersh__pairs_work **out);
void gersh__pairs_work_free(gersh__pairs_work *work);

#endif
