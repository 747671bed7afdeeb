/* The words for how certain a model is: one source for the command line, the report and the Python package. */
#include "model/certificate.h"

#include <stdio.h>
#include <string.h>

#include "base/settings.h"
#include "model/model.h"

int gersh__bound_tells(const gersh_model *model)
{
    const gersh_fit_info *info = &model->info;
    return info->has_bound &&
           (info->bound > 0 || info->gap == 0 || !gersh_model_objective(model)->nonnegative);
}

const char *gersh_model_standing(const gersh_model *model, const gersh_verification *verification)
{
    if (verification != NULL)
        return gersh_verification_verdict_name(verification->verdict);
    return model->fitted ? "certified" : "stated";
}

/* Two digits, so that 100 needs three. */
static int digits(double percent)
{
    return percent < 99.5 ? 2 : 3;
}

/* How near the value is to the best one, if what the model says is true. */
static void say_share(char *text, size_t size, const gersh_fit_info *info)
{
    double scale = info->gap > 0 ? 100 * info->relative_gap / info->gap : 0, percent = scale * info->gap,
           search = scale * info->search_gap;
    if (info->value_error > 0)
        snprintf(text, size,
                 "optimal within %.*g %% with 95 %% confidence (%.*g %% of it is the search on the sampled "
                 "pairs, the rest is sampling)",
                 digits(percent), percent, digits(search), search);
    else if (info->search_gap < 0.99 * info->gap)
        snprintf(text, size,
                 "optimal within %.*g %% (bound from the convex hull; %.*g %% of it is the search)",
                 digits(percent), percent, digits(search), search);
    else
        snprintf(text, size, "optimal within %.*g %%", digits(percent), percent);
}

const char *gersh_model_certainty(char *text, size_t size, const gersh_model *model,
                                  const gersh_verification *verification)
{
    const gersh_fit_info *info = &model->info;
    char share[160];
    const char *standing = gersh_model_standing(model, verification);
    if (verification != NULL && verification->verdict == GERSH_VERIFICATION_FAILED)
        snprintf(text, size, "not at all: what the model states failed a check");
    else if (!info->has_bound)
        snprintf(text, size, "there is no certificate: the solver %s has no bound",
                 gersh__setting_text(model->settings, GERSH__SOLVER));
    else if ((!gersh__bound_tells(model) && info->relative_gap > info->tol) || info->relative_gap > 1)
        snprintf(text, size, "the certificate says nothing: the bound is %.6g", info->bound);
    else {
        say_share(share, sizeof share, info);
        if (strcmp(standing, "stated") == 0)
            snprintf(text, size, "the model states that it is %s; 'gersh inspect --verify' checks that",
                     share);
        else
            snprintf(text, size, "%s, %s", share, standing);
    }
    return text;
}
