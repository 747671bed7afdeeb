/* The features of data in the order of a model, by name or by position; see gersh/predict.h. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "data/build.h"
#include "gersh/predict.h"
#include "use/match.h"

void gersh__free_texts(char **texts, size_t count)
{
    for (size_t i = 0; texts != NULL && i < count; i++)
        gersh__free(texts[i]);
    gersh__free(texts);
}

void gersh_matched_free(gersh_matched *matched)
{
    if (matched == NULL)
        return;
    gersh_dataset_free(matched->data);
    gersh__free_texts(matched->ignored_name, matched->ignored);
    gersh__free(matched);
}

int gersh__match_automatic(const char *name)
{
    size_t digits = strspn(name + (name[0] == 'x'), "0123456789");
    return name[0] == 'x' && name[1] != '0' && digits > 0 && name[1 + digits] == '\0';
}

gersh_status gersh__match_note(gersh_matched *matched, const char *name)
{
    char **list = gersh__realloc(matched->ignored_name, matched->ignored + 1, sizeof *list);
    if (list == NULL)
        return GERSH_ERROR_MEMORY;
    matched->ignored_name = list;
    list[matched->ignored] = gersh__text_copy(name, strlen(name));
    return list[matched->ignored++] != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

/* Whether some feature of data comes from the same text column as the feature `name` of the model. */
static int has_sibling(const gersh_dataset *data, const char *name)
{
    for (const char *equals = strchr(name, '='); equals != NULL; equals = strchr(equals + 1, '='))
        for (size_t j = 0; j < data->k; j++)
            if (strncmp(data->feature_names[j], name, (size_t)(equals - name) + 1) == 0)
                return 1;
    return 0;
}

gersh_status gersh__match_missing(const char *name, const char *const *others, size_t count)
{
    char excerpt[GERSH__EXCERPT_SIZE], other[GERSH__EXCERPT_SIZE];
    const char *nearest = gersh__text_nearest(name, others, count);
    gersh__text_excerpt(excerpt, sizeof excerpt, name, strlen(name));
    if (nearest == NULL)
        return gersh__fail(GERSH_ERROR_INPUT, "there is no column '%s', which the model needs", excerpt);
    return gersh__fail(GERSH_ERROR_INPUT,
                       "there is no column '%s', which the model needs; is '%s' meant to be it?", excerpt,
                       gersh__text_excerpt(other, sizeof other, nearest, strlen(nearest)));
}

/* Whether the names stand for positions: as many in both, and those of one side all automatic. */
static int by_position(const gersh_model *model, const gersh_dataset *data)
{
    size_t k = gersh_model_features(model), theirs = 0, ours = 0;
    for (size_t j = 0; j < k; j++)
        theirs += (size_t)gersh__match_automatic(gersh_model_feature_name(model, j));
    for (size_t j = 0; j < data->k; j++)
        ours += (size_t)gersh__match_automatic(data->feature_names[j]);
    return data->k == k && (theirs == k || ours == k);
}

/*
 * from[f]: the feature of data that is feature f of the model, or GERSH__NONE for one that is 0 in all
 * rows.
 */
static gersh_status find_features(size_t *from, gersh_matched *matched, const gersh_model *model,
                                  const gersh_dataset *data)
{
    size_t k = gersh_model_features(model), missing = GERSH__NONE;
    gersh__words names = {0};
    gersh_status status = GERSH_OK;
    unsigned char *used = gersh__alloc(data->k, 1);
    if (used == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t j = 0; j < data->k && status == GERSH_OK; j++) {
        const char *name = data->feature_names[j];
        size_t before = names.count, at = gersh__words_add(&names, name, strlen(name));
        if (at == GERSH__NO_WORD)
            status = GERSH_ERROR_MEMORY;
        else if (at != before)
            status = gersh__fail(GERSH_ERROR_INPUT,
                                 "features %zu and %zu have the same name; name each one", at + 1, j + 1);
    }
    for (size_t f = 0; f < k && status == GERSH_OK; f++) {
        const char *name = gersh_model_feature_name(model, f);
        from[f] = gersh__words_find(&names, name, strlen(name));
        if (from[f] != GERSH__NO_WORD)
            used[from[f]] = 1;
        else if (missing == GERSH__NONE && !has_sibling(data, name))
            missing = f;
    }
    if (status == GERSH_OK && missing != GERSH__NONE && by_position(model, data)) {
        for (size_t f = 0; f < k; f++)
            from[f] = f;
    } else if (status == GERSH_OK && missing != GERSH__NONE) {
        const char **others = gersh__alloc(data->k, sizeof *others);
        size_t count = 0;
        for (size_t j = 0; others != NULL && j < data->k; j++)
            if (!used[j])
                others[count++] = data->feature_names[j];
        status = others != NULL
                     ? gersh__match_missing(gersh_model_feature_name(model, missing), others, count)
                     : GERSH_ERROR_MEMORY;
        gersh__free(others);
    } else {
        for (size_t j = 0; j < data->k && status == GERSH_OK; j++)
            if (!used[j])
                status = gersh__match_note(matched, data->feature_names[j]);
    }
    gersh__words_clear(&names);
    gersh__free(used);
    return status;
}

static gersh_status fill(gersh_dataset *out, const gersh_model *model, const gersh_dataset *data,
                         const size_t *from)
{
    gersh_status status = gersh__dataset_densify(data);
    if (status == GERSH_OK)
        status = gersh__dataset_copy_labels(out, data);
    for (size_t f = 0; f < out->k && status == GERSH_OK; f++) {
        const char *name = gersh_model_feature_name(model, f);
        out->feature_names[f] = gersh__text_copy(name, strlen(name));
        status = out->feature_names[f] != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    for (size_t i = 0; i < out->n && status == GERSH_OK; i++)
        for (size_t f = 0; f < out->k; f++)
            out->x[i * out->k + f] = from[f] != GERSH__NONE ? data->x[i * data->k + from[f]] : 0;
    return status;
}

gersh_status gersh_match_data(gersh_matched **out, const gersh_model *model, const gersh_dataset *data)
{
    size_t k = gersh_model_features(model);
    gersh_status status = GERSH_ERROR_MEMORY;
    *out = NULL;
    gersh_matched *matched = gersh__alloc(1, sizeof *matched);
    size_t *from = gersh__alloc(k, sizeof *from);
    if (matched != NULL && from != NULL)
        status = find_features(from, matched, model, data);
    if (status == GERSH_OK)
        status = gersh__dataset_alloc(&matched->data, data->n, k);
    if (status == GERSH_OK)
        status = fill(matched->data, model, data, from);
    gersh__free(from);
    if (status == GERSH_OK)
        *out = matched;
    else
        gersh_matched_free(matched);
    return status;
}

size_t gersh__match_class(const gersh_model *model, const char *name)
{
    double wanted = 0, value = 0;
    size_t classes = gersh_model_classes(model);
    for (size_t c = 0; c < classes; c++)
        if (strcmp(gersh_model_class_name(model, c), name) == 0)
            return c;
    if (gersh__parse_double(name, strlen(name), &wanted) != GERSH__NUMBER_OK)
        return GERSH__NONE;
    for (size_t c = 0; c < classes; c++) {
        const char *text = gersh_model_class_name(model, c);
        if (gersh__parse_double(text, strlen(text), &value) == GERSH__NUMBER_OK && value == wanted)
            return c;
    }
    return GERSH__NONE;
}
