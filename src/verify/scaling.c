/* The feature maps from their definitions; see maps.h. Targets are standardised here too. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/settings.h"
#include "data/dataset.h"
#include "verify/maps.h"
#include "verify/verify.h"

static int asks_for_scale(const char *scale)
{
    (void)scale;
    return 1;
}

/* Mean and sample deviation of a column, and its largest size. */
static void measure(long double *mean, long double *deviation, long double *largest,
                    const gersh__samples *data, size_t f)
{
    long double square = 0, scale;
    *mean = *largest = 0;
    for (size_t i = 0; i < data->n; i++)
        *largest = fmaxl(*largest, fabsl((long double)data->x[i * data->k + f]));
    scale = *largest > 0 ? *largest : 1;
    for (size_t i = 0; i < data->n; i++)
        *mean += data->x[i * data->k + f] / scale / (long double)data->n;
    for (size_t i = 0; i < data->n; i++)
        square += (data->x[i * data->k + f] / scale - *mean) * (data->x[i * data->k + f] / scale - *mean);
    *deviation = data->n > 1 ? scale * sqrtl(square / (long double)(data->n - 1)) : 0;
    *mean *= scale;
}

static double scale_difference(const gersh_scaling *scaling, const gersh__samples *data, const char *how)
{
    const double *means = gersh_scaling_vector(scaling, "mean");
    const double *scales = gersh_scaling_vector(scaling, "scale");
    long double worst = 0;
    for (size_t f = 0; f < data->k; f++) {
        long double mean = 0, deviation = 1, largest = 1, scale;
        if (strcmp(how, "none") != 0)
            measure(&mean, &deviation, &largest, data, f);
        /* A feature that varies by rounding only counts as constant. */
        scale = deviation > 1e-13L * largest ? deviation : fmaxl(largest, 1);
        long double off = fabsl(scales[f] - scale) / scale;
        if (deviation <= 1e-13L * largest)
            off = fminl(off, fabsl(scales[f] - 1));
        worst = fmaxl(worst, fmaxl(off, fabsl(means[f] - mean) / fmaxl(largest, scale)));
    }
    return (double)worst;
}

static gersh_status scale_apply(const gersh_scaling *scaling, gersh__samples *data)
{
    const double *mean = gersh_scaling_vector(scaling, "mean");
    const double *scale = gersh_scaling_vector(scaling, "scale");
    for (size_t i = 0; i < data->n; i++)
        for (size_t f = 0; f < data->k; f++) {
            double *x = &data->x[i * data->k + f];
            *x = (double)(((long double)*x - mean[f]) / scale[f]);
        }
    return GERSH_OK;
}

static int asks_for_unit_length(const char *scale)
{
    return strcmp(scale, "paper") == 0;
}

static gersh_status unit_length_apply(const gersh_scaling *scaling, gersh__samples *data)
{
    (void)scaling;
    for (size_t i = 0; i < data->n; i++) {
        double *x = data->x + i * data->k;
        long double square = 0, largest = 0;
        for (size_t f = 0; f < data->k; f++)
            largest = fmaxl(largest, fabsl((long double)x[f]));
        for (size_t f = 0; largest > 0 && f < data->k; f++)
            square += x[f] / largest * (x[f] / largest);
        for (size_t f = 0; largest > 0 && f < data->k; f++)
            x[f] = (double)(x[f] / largest / sqrtl(square));
    }
    return GERSH_OK;
}

const gersh__map_reference gersh__map_reference_scale = {"scale", asks_for_scale, scale_difference,
                                                         scale_apply};
const gersh__map_reference gersh__map_reference_unit_length = {"unit length", asks_for_unit_length, NULL,
                                                               unit_length_apply};

/* Less the mean, divided by the sample deviation where there is any; in units of the largest, as for squares. */
static void standardize(size_t n, double *z)
{
    long double mean = 0, square = 0, largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmaxl(largest, fabsl(z[i]));
    for (size_t i = 0; largest > 0 && i < n; i++) {
        z[i] = (double)(z[i] / largest);
        mean += (long double)z[i] / (long double)n;
    }
    for (size_t i = 0; i < n; i++)
        square += (z[i] - mean) * (z[i] - mean);
    long double deviation = n > 1 ? sqrtl(square / (long double)(n - 1)) : 0;
    for (size_t i = 0; i < n; i++)
        z[i] = (double)((z[i] - mean) / (deviation > 0 ? deviation : 1));
}

static const gersh__map_reference *find(const char *name)
{
    for (int r = 0; r < GERSH__MAP_REFERENCES && gersh__map_references[r] != NULL; r++)
        if (strcmp(gersh__map_references[r]->name, name) == 0)
            return gersh__map_references[r];
    return NULL;
}

/* Whether the model has the maps that the setting asks for, and no other, in their order. */
static int same_maps(const gersh_scaling *scaling, const char *how)
{
    size_t m = 0;
    for (int r = 0; r < GERSH__MAP_REFERENCES && gersh__map_references[r] != NULL; r++) {
        const char *name = gersh_scaling_map_name(scaling, m);
        if (!gersh__map_references[r]->wanted(how))
            continue;
        if (name == NULL || strcmp(name, gersh__map_references[r]->name) != 0)
            return 0;
        m++;
    }
    return m == gersh_scaling_maps(scaling);
}

/* The samples in place of the values; features are without names then. */
static gersh_status replace(gersh_dataset *data, const gersh__samples *samples)
{
    char **names = gersh__alloc(samples->k, sizeof *names);
    data->x = samples->x;
    if (names == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t f = 0; f < data->k; f++)
        gersh__free(data->feature_names[f]);
    gersh__free(data->feature_names);
    data->feature_names = names;
    data->k = samples->k;
    return GERSH_OK;
}

gersh_status gersh__verify_scale(double *difference, gersh_dataset *data, const gersh_model *model)
{
    const gersh_scaling *scaling = model->scaling;
    const char *how = gersh__setting_text(model->settings, GERSH__SCALE);
    gersh__samples samples = {data->n, data->k, data->x};
    gersh_status status = GERSH_OK;
    *difference = same_maps(scaling, how) ? 0 : 1;
    for (size_t m = 0; m < gersh_scaling_maps(scaling) && status == GERSH_OK; m++) {
        const char *name = gersh_scaling_map_name(scaling, m);
        const gersh__map_reference *reference = find(name);
        if (reference == NULL) {
            status =
                gersh__fail(GERSH_ERROR_INPUT, "the verifier does not know the feature map '%s'", name);
            break;
        }
        if (reference->difference != NULL)
            *difference = fmax(*difference, reference->difference(scaling, &samples, how));
        status = reference->apply(scaling, &samples);
    }
    gersh_status replaced = replace(data, &samples);
    if (status == GERSH_OK && replaced == GERSH_OK && data->targets != NULL)
        standardize(data->n, data->targets);
    return status != GERSH_OK ? status : replaced;
}
