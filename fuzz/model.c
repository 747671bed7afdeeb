/*
 * Fuzz target: the input is a model file. One that is read is then used in every way that does not learn: verified,
 * summarised, packed again, its rows predicted, mapped and compared, a report written, and the command line's own way
 * to show it. None of that may crash, take more than the memory that there is, or write anywhere but where it is told.
 */
#include "fuzz.h"

#include "../cli/cli.h"
#include "data/dataset.h"

static void run_inspect(const char *path, char *option, char *value)
{
    char *argv[] = {(char *)path, option, value};
    cli_args args;
    int status = cli_parse(&args, &cli_inspect, value != NULL ? 3 : option != NULL ? 2 : 1, argv);
    if (status >= 0)
        fuzz_fail("gersh inspect %s is not understood", option);
    status = cli_inspect.run(&args);
    if (status != EXIT_DONE && status != EXIT_BAD && status != EXIT_INTERNAL)
        fuzz_fail("gersh inspect %s ends with %d", option, status);
    gersh_settings_free(args.settings);
}

static void predict(const gersh_model *model, const gersh_dataset *data, const char *classifier,
                    const char *votes)
{
    gersh_settings *settings = NULL;
    gersh_prediction *p = NULL;
    if (gersh_settings_new(&settings) != GERSH_OK ||
        gersh_settings_set(settings, "classifier", classifier) != GERSH_OK ||
        gersh_settings_set(settings, "votes", votes) != GERSH_OK ||
        gersh_settings_set(settings, "threads", "1") != GERSH_OK)
        fuzz_fail("a setting cannot be set");
    gersh_status status = gersh_predict(&p, model, data, settings, NULL);
    if (status != GERSH_OK)
        fuzz_check_failure(status, p);
    for (size_t i = 0; p != NULL && p->label != NULL && i < p->rows; i++)
        if (p->label[i] < 0 || (size_t)p->label[i] >= p->classes)
            fuzz_fail("%s predicts class %d of %zu", classifier, p->label[i], p->classes);
    gersh_prediction_free(p);
    gersh_settings_free(settings);
}

static void transform(const gersh_model *model, size_t dim)
{
    gersh_dataset *scaled = NULL, *mapped = NULL;
    gersh_transform *map = NULL;
    gersh_status status = gersh_transform_new(&map, gersh_model_metric(model), dim, 1, NULL);
    if (status != GERSH_OK) {
        fuzz_check_failure(status, map);
        return;
    }
    status = gersh_dataset_copy(&scaled, gersh_model_data(model));
    if (status == GERSH_OK)
        status = gersh_scaling_apply(gersh_model_scaling(model), scaled);
    if (status == GERSH_OK)
        status = gersh_transform_data(&mapped, map, scaled);
    if (status != GERSH_OK)
        fuzz_check_failure(status, mapped);
    gersh_dataset_free(mapped);
    gersh_dataset_free(scaled);
    gersh_transform_free(map);
}

static void use_rows(const gersh_model *model)
{
    static const char *const classifiers[] = {"knn", "mahalanobis", "graph"};
    const gersh_dataset *data = gersh_model_data(model);
    gersh_matched *matched = NULL;
    gersh_status status = gersh_match_data(&matched, model, data);
    if (status != GERSH_OK)
        fuzz_check_failure(status, matched);
    gersh_matched_free(matched);
    for (int i = 0; i < 3; i++)
        predict(model, data, classifiers[i], i % 2 ? "equal" : "distance");
    transform(model, 0);
    transform(model, 1);
}

/* What was packed comes back. */
static void pack_again(const gersh_model *model)
{
    char *bytes = NULL;
    size_t size = 0;
    gersh_model *back = NULL;
    gersh_status status = gersh_model_pack(&bytes, &size, model, 1);
    if (status == GERSH_ERROR_MEMORY)
        return;
    if (status != GERSH_OK)
        fuzz_fail("a model that was read cannot be packed");
    status = gersh_model_unpack(&back, bytes, size);
    if (status != GERSH_OK && status != GERSH_ERROR_MEMORY)
        fuzz_fail("a model that was packed cannot be unpacked");
    gersh_model_free(back);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gersh_model *model = NULL;
    gersh_verification report;
    gersh_model_report_options options = {.name = "model", .threads = 1};
    gersh_status status = gersh_model_unpack(&model, (const char *)data, size);
    if (status != GERSH_OK) {
        fuzz_check_failure(status, model);
        return 0;
    }
    pack_again(model);
    if (gersh_model_verify(&report, model, NULL) != GERSH_OK)
        fuzz_check_failure(GERSH_ERROR_INPUT, NULL);
    if (gersh_model_data(model) != NULL)
        use_rows(model);
    status = gersh_model_report(model, "/dev/null", &options);
    if (status != GERSH_OK)
        fuzz_check_failure(status, NULL);
    const char *path = fuzz_file(data, size);
    run_inspect(path, NULL, NULL);
    run_inspect(path, "--json", NULL);
    run_inspect(path, "--verify", NULL);
    run_inspect(path, "--scalars", NULL);
    run_inspect(path, "--dot", "/dev/null");
    gersh_model_free(model);
    return 0;
}
