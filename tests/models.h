/* Small models for the tests, in a folder of their own that is removed at the end. */
#ifndef GERSH_TESTS_MODELS_H
#define GERSH_TESTS_MODELS_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/model.h"
#include "samples.h"

static char model_folder[] = "/tmp/gersh-model-XXXXXX";
static char model_path[64];

static inline int models_start(void **state)
{
    (void)state;
    if (mkdtemp(model_folder) == NULL)
        return -1;
    snprintf(model_path, sizeof model_path, "%s/model", model_folder);
    return 0;
}

static inline int models_end(void **state)
{
    (void)state;
    unlink(model_path);
    return rmdir(model_folder); /* fails where something else was left behind */
}

static inline gersh_settings *model_settings(const char *objective, const char *solver)
{
    gersh_settings *settings = NULL;
    assert_ok(gersh_settings_new(&settings));
    assert_ok(gersh_settings_set(settings, "objective", objective));
    assert_ok(gersh_settings_set(settings, "solver", solver));
    assert_ok(gersh_settings_set(settings, "threads", "1"));
    return settings;
}

/* Random data with at least two classes in it. */
static inline gersh_dataset *ready_data(gersh__random *random, size_t n, size_t k, size_t classes)
{
    gersh_dataset *data = random_data(random, n, k, classes);
    while (gersh_dataset_check(data) != GERSH_OK) {
        gersh_dataset_free(data);
        data = random_data(random, n, k, classes);
    }
    return data;
}

/* A model of random data; classes = 0: real targets. */
static inline gersh_model *random_model(uint64_t seed, size_t n, size_t k, size_t classes,
                                        const char *objective, const char *solver, int weights)
{
    gersh__random random;
    gersh_model *model = NULL;
    gersh_settings *settings = model_settings(objective, solver);
    gersh__random_seed(&random, seed);
    gersh_dataset *data = ready_data(&random, n, k, classes);
    if (weights) {
        double *w = calloc(n, sizeof *w);
        for (size_t i = 0; i < n; i++)
            w[i] = gersh__random_uniform(&random) + 0.1;
        assert_ok(gersh_dataset_set_weights(data, w));
        free(w);
    }
    assert_ok(gersh_model_fit(&model, NULL, data, settings, NULL));
    gersh_dataset_free(data);
    gersh_settings_free(settings);
    return model;
}

/* The file's bytes (free()), and how many there are. */
static inline unsigned char *file_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = calloc(1, 1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_true(*size < 1 << 20);
    fclose(file);
    return bytes;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
