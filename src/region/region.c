/* What all regions have in common; see region.h. */
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "region/own.h"

/* A region that lacks one of these would be searched, and certified, as another one. */
static gersh_status check(const gersh__region_ops *ops)
{
    const struct {
        const char *name;
        int there;
    } required[] = {{"init", ops->init != NULL},
                    {"minimize", ops->minimize != NULL},
                    {"free", ops->free != NULL},
                    {"allows", ops->allows != NULL},
                    {"score", ops->score != NULL}};
    if (ops->name == NULL)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "internal error: a region has no name");
    for (size_t r = 0; r < sizeof required / sizeof required[0]; r++)
        if (!required[r].there)
            return gersh__fail(GERSH_ERROR_ARGUMENT, "internal error: the region '%s' has no '%s'",
                               ops->name, required[r].name);
    return GERSH_OK;
}

gersh_status gersh__region_new(gersh__region **out, const gersh__region_ops *ops, const gersh__pairs *pairs,
                               const gersh__region_params *params)
{
    *out = NULL;
    gersh_status status = check(ops);
    if (status != GERSH_OK)
        return status;
    gersh__region *region = gersh__alloc(1, sizeof *region);
    if (region == NULL)
        return GERSH_ERROR_MEMORY;
    region->ops = ops;
    region->pairs = pairs;
    if (params != NULL)
        region->params = *params;
    status = ops->init(region);
    if (status != GERSH_OK) {
        gersh__region_free(region);
        return status;
    }
    *out = region;
    return GERSH_OK;
}

gersh_status gersh__region_new_like(gersh__region **out, const gersh__region *region,
                                    const gersh__pairs *pairs)
{
    gersh__region_params params = region->params;
    params.working_set = NULL;
    return gersh__region_new(out, region->ops, pairs, &params);
}

void gersh__region_free(gersh__region *region)
{
    if (region == NULL)
        return;
    region->ops->free(region);
    gersh__free(region);
}

const gersh__region_ops *gersh__region_ops_of(const gersh__region *region)
{
    return region->ops;
}

/* The region sees G, and so the threshold and all values, in the gradient's unit. */
gersh_status gersh__region_minimize(gersh__region *region, gersh__gradient *gradient,
                                    const gersh__lmo_request *request, gersh__lmo_answer *answer)
{
    double unit = gersh__gradient_unit(gradient);
    gersh__lmo_request scaled = *request;
    scaled.threshold /= unit;
    scaled.want = request->want < GERSH__MOST_CANDIDATES ? request->want : GERSH__MOST_CANDIDATES;
    answer->found = 0;
    answer->least = -INFINITY;
    answer->improved = 0;
    answer->candidate[0].value = NAN;
    gersh_status status = region->ops->minimize(region, gradient, &scaled, answer);
    for (size_t c = 0; c < answer->found; c++)
        answer->candidate[c].value *= unit;
    answer->least *= unit;
    return status;
}

int gersh__region_allows(const gersh__region *region, gersh_atom z)
{
    int sign = z.a * z.b < 0 ? -1 : 1; /* of M_ij */
    return z.i == z.j ||
           (gersh__rules_allow(region->params.rules, z.i, z.j, sign) && region->ops->allows(region, z));
}

/* Where b is 0 no edge is better than a single feature. */
double gersh__region_score(const gersh__region *region, size_t i, size_t j, double a, double b, double c,
                           gersh_atom *best)
{
    int sign = b > 0 ? -1 : 1; /* that M_ij should have */
    return region->ops->score(region, i, j, a, gersh__rules_allow(region->params.rules, i, j, sign) ? b : 0,
                              c, best);
}
