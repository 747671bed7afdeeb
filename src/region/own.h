/* What a region is, for the files of regions alone. */
#ifndef GERSH_SRC_REGION_OWN_H
#define GERSH_SRC_REGION_OWN_H

#include "region/region.h"

struct gersh__region {
    const gersh__region_ops *ops;
    const gersh__pairs *pairs;
    gersh__region_params params;
    struct gersh__pairwise *pairwise; /* of regions that use pairwise.h, else NULL */
    void *own;                        /* what else `ops` keeps */
};

#endif
