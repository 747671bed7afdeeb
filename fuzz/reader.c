/*
 * Fuzz target: the input is a data file, read as each of FUZZ_FORMATS and with several settings. A data set that comes
 * out must be one: finite values, labels that are classes, names for all.
 */
#include "fuzz.h"

static const char *const formats[] = {FUZZ_FORMATS};

static const char *const settings_texts[][6] = {
    {NULL},
    {"missing=mean", "categorical=onehot", "label=none", "header=yes", NULL},
    {"missing=zero", "categorical=onehot", "label=1", "task=regress", "ignore=2", NULL},
    {"missing=zero", "task=classify", "weights=1", "header=no", NULL}};

static void check_data(gersh_dataset *data)
{
    if (gersh_dataset_densify(data) != GERSH_OK) /* only memory can be short */
        return;
    size_t n = gersh_dataset_rows(data), k = gersh_dataset_features(data);
    size_t classes = gersh_dataset_classes(data);
    const double *x = gersh_dataset_values(data), *w = gersh_dataset_weights(data);
    const double *targets = gersh_dataset_targets(data);
    const int *labels = gersh_dataset_labels(data);
    if (n == 0 || k == 0 || (labels != NULL && targets != NULL) || (labels != NULL) != (classes > 0))
        fuzz_fail("%zu rows, %zu features, %zu classes", n, k, classes);
    for (size_t e = 0; x != NULL && e < n * k; e++)
        if (!isfinite(x[e]))
            fuzz_fail("value %zu is %g", e, x[e]);
    for (size_t i = 0; i < n; i++)
        if ((labels != NULL && (labels[i] < 0 || (size_t)labels[i] >= classes)) ||
            (targets != NULL && !isfinite(targets[i])) || (w != NULL && !(w[i] >= 0 && isfinite(w[i]))))
            fuzz_fail("the label, the target or the weight of row %zu is impossible", i);
    for (size_t j = 0; j < k; j++)
        if (gersh_dataset_feature_name(data, j) == NULL)
            fuzz_fail("feature %zu has no name", j);
    for (size_t c = 0; c < classes; c++)
        if (gersh_dataset_class_name(data, c) == NULL)
            fuzz_fail("class %zu has no name", c);
}

static void read_as(const char *path, const char *format, const char *const *texts)
{
    gersh_settings *settings = NULL;
    gersh_dataset *data = NULL;
    gersh_status status = gersh_settings_new(&settings);
    if (status == GERSH_OK)
        status = gersh_settings_set(settings, "format", format);
    for (; *texts != NULL && status == GERSH_OK; texts++) {
        char name[32];
        const char *equals = strchr(*texts, '=');
        snprintf(name, sizeof name, "%.*s", (int)(equals - *texts), *texts);
        status = gersh_settings_set(settings, name, equals + 1);
    }
    if (status != GERSH_OK)
        fuzz_fail("a setting cannot be set");
    status = gersh_dataset_read(&data, path, settings);
    if (status == GERSH_OK)
        check_data(data);
    else
        fuzz_check_failure(status, data);
    gersh_dataset_free(data);
    gersh_settings_free(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++)
        for (size_t s = 0; s < sizeof settings_texts / sizeof settings_texts[0]; s++)
            read_as(path, formats[f], settings_texts[s]);
    return 0;
}
