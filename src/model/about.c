/*
 * Reading the description of a model: what its file holds as JSON, in the text `gersh` of the head's
 * __metadata__. Every member must be there, of the right type, and no other.
 */
#include "model/about.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "data/tuples.h"
#include "model/maps.h"
#include "objective/objective.h"

gersh_status gersh__model_not_one(void)
{
    return gersh__fail(GERSH_ERROR_INPUT, "is not a gersh model; name a file that 'gersh fit -o' wrote");
}

/* A text that is a JSON string or a list of bytes. */
static gersh_status read_text(char **out, const json_t *value, const char *what)
{
    *out = NULL;
    if (json_is_string(value)) {
        *out = gersh__text_copy(json_string_value(value), json_string_length(value));
        return *out != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    size_t length = json_array_size(value);
    for (size_t i = 0; i < length; i++) {
        json_int_t byte = json_integer_value(json_array_get(value, i));
        if (byte < 1 || byte > 255)
            length = 0;
    }
    if (length == 0)
        return gersh__fail(GERSH_ERROR_INPUT, "%s is neither a text nor a list of bytes", what);
    *out = gersh__alloc(length + 1, 1);
    if (*out == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t i = 0; i < length; i++)
        (*out)[i] = (char)(unsigned char)json_integer_value(json_array_get(value, i));
    return GERSH_OK;
}

static gersh_status read_names(char ***out, size_t *count, const json_t *list, const char *what)
{
    if (!json_is_array(list))
        return gersh__fail(GERSH_ERROR_INPUT, "the list of names of %s is missing", what);
    *out = gersh__alloc(json_array_size(list), sizeof **out);
    if (*out == NULL)
        return GERSH_ERROR_MEMORY;
    for (*count = 0; *count < json_array_size(list); ++*count) {
        gersh_status status = read_text(&(*out)[*count], json_array_get(list, *count), "a name");
        if (status != GERSH_OK)
            return status;
    }
    return GERSH_OK;
}

static gersh_status read_settings(gersh_model *model, json_t *settings)
{
    const char *name;
    json_t *entry;
    gersh_status status = gersh_settings_new(&model->settings);
    if (status != GERSH_OK)
        return status;
    if (!json_is_object(settings))
        return gersh__fail(GERSH_ERROR_INPUT, "the settings are missing");
    json_object_foreach(settings, name, entry)
    {
        char *text = NULL;
        status = read_text(&text, entry, "the value of a setting");
        if (status == GERSH_OK)
            status = gersh_settings_set(model->settings, name, text);
        gersh__free(text);
        if (status != GERSH_OK)
            return status == GERSH_ERROR_ARGUMENT
                       ? gersh__fail_prefix(GERSH_ERROR_INPUT, "a setting of the model cannot be used: ")
                       : status;
    }
    return GERSH_OK;
}

/* Numbers of rows and pairs are kept as doubles, and shown as whole numbers. */
static int is_count(double number)
{
    return number >= 0 && number <= 1e18;
}

/* Which pairs the fit learned from. */
static gersh_status read_pairs(gersh_fit_info *info, json_t *pairs)
{
    const char *choice = "";
    json_error_t error;
    if (pairs == NULL)
        return GERSH_OK;
    if (json_unpack_ex(pairs, &error, JSON_STRICT, "{s:s, s:F, s:F, s:F, s:i, s:F, s:F}", "choice", &choice,
                       "count", &info->pairs, "all", &info->pairs_all, "rows", &info->rows_used, "rounds",
                       &info->rounds, "value_error", &info->value_error, "memory", &info->memory) != 0)
        return gersh__fail(GERSH_ERROR_INPUT, "the record of the pairs is damaged: %s", error.text);
    int which = GERSH_CHOICE_ALL;
    while (which <= GERSH_CHOICE_MINED &&
           strcmp(gersh_pair_choice_name((gersh_pair_choice)which), choice) != 0)
        which++;
    if (which > GERSH_CHOICE_MINED || !is_count(info->pairs) || !is_count(info->pairs_all) ||
        !is_count(info->rows_used) || info->rounds < 0 || !(info->value_error >= 0) || !(info->memory >= 0))
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the record of the pairs has an unknown choice of them or an impossible number");
    info->choice = (gersh_pair_choice)which;
    return GERSH_OK;
}

static gersh_status read_fit(gersh_fit_info *info, json_t *fit)
{
    json_error_t error;
    json_t *certificate[4] = {NULL}, *pairs = NULL;
    double *number[4] = {&info->bound, &info->gap, &info->relative_gap, &info->search_gap};
    const char *stop = NULL;
    int numbers = 0, nulls = 0;
    if (json_unpack_ex(
            fit, &error, JSON_STRICT,
            "{s:F, s:o, s:o, s:o, s:o, s:F, s:i, s:i, s:F, s:s, s:F, s:F, s:F, s:F, s:F, s:F, s?o}",
            "objective_value", &info->objective_value, "bound", &certificate[0], "gap", &certificate[1],
            "relative_gap", &certificate[2], "search_gap", &certificate[3], "tol", &info->tol, "iterations",
            &info->iterations, "newton_steps", &info->newton_steps, "seconds", &info->seconds, "stop",
            &stop, "budget", &info->budget, "rho", &info->rho, "seconds_gradient", &info->seconds_gradient,
            "seconds_minimizer", &info->seconds_minimizer, "seconds_objective", &info->seconds_objective,
            "seconds_step", &info->seconds_step, "pairs", &pairs) != 0)
        return gersh__fail(GERSH_ERROR_INPUT, "the record of the fit is damaged: %s", error.text);
    for (int i = 0; i < 4; i++) {
        numbers += json_is_number(certificate[i]);
        nulls += json_is_null(certificate[i]);
        *number[i] = json_is_number(certificate[i]) ? json_number_value(certificate[i]) : NAN;
    }
    if (numbers != 4 && nulls != 4)
        return gersh__fail(GERSH_ERROR_INPUT, "the record of the fit has a bound that is not a number");
    info->has_bound = numbers == 4;
    int which = GERSH_STOP_CONVERGED;
    while (which < GERSH_STOPS && strcmp(gersh_stop_name((gersh_stop)which), stop) != 0)
        which++;
    if (which == GERSH_STOPS || info->iterations < 0 || info->newton_steps < 0 || !(info->rho >= 0) ||
        !(info->budget >= 0) || !(info->tol >= 0))
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the record of the fit has an unknown reason to stop or a negative number");
    info->stop = (gersh_stop)which;
    return read_pairs(info, pairs);
}

/* Tuples of that kind; how many is not known yet. */
static gersh_status read_kind(gersh_model *model, const char *name)
{
    for (int kind = GERSH_PAIRS; kind <= GERSH_QUADRUPLETS; kind++)
        if (strcmp(gersh_tuple_kind_name((gersh_tuple_kind)kind), name) == 0)
            return gersh__tuples_alloc(&model->tuples, (gersh_tuple_kind)kind, 0);
    return gersh__fail(GERSH_ERROR_INPUT, "the model has tuples of an unknown kind");
}

static gersh_status read_rules(gersh_model *model, const json_t *list)
{
    size_t count = json_array_size(list);
    if (count == 0)
        return gersh__fail(GERSH_ERROR_INPUT, "the model has edge rules that are no list of them");
    model->rules = gersh__alloc(count, sizeof *model->rules);
    if (model->rules == NULL)
        return GERSH_ERROR_MEMORY;
    for (size_t r = 0; r < count; r++) {
        json_int_t first = -1, second = -1;
        const char *word = "";
        int bad = json_unpack(json_array_get(list, r), "[I, I, s!]", &first, &second, &word);
        gersh_edge_kind kind = GERSH_EDGE_ALLOWED;
        if (bad || gersh__edge_kind_find(&kind, word) != 0 || first < 0 || second < 0 || first == second ||
            (size_t)first >= model->scaling->width || (size_t)second >= model->scaling->width)
            return gersh__fail(
                GERSH_ERROR_INPUT,
                "edge rule %zu of the model is damaged; expected two of its %zu features and a rule", r + 1,
                model->scaling->width);
        model->rules[r] = (gersh_edge_rule){(size_t)first, (size_t)second, kind};
    }
    model->rule_count = count;
    return GERSH_OK;
}

static gersh_status read_bootstrap(gersh_model *model, json_t *about)
{
    json_int_t asked = 0, done = 0, failed = 0;
    json_t *failure = NULL;
    json_error_t error;
    if (json_unpack_ex(about, &error, JSON_STRICT, "{s:I, s:I, s:I, s:o}", "asked", &asked, "done", &done,
                       "failed", &failed, "failure", &failure) != 0 ||
        done < 1 || failed < 0 || asked < done || asked - done < failed)
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the numbers of resamples of the model's bootstrap are damaged");
    gersh_bootstrap *b = model->bootstrap = gersh__alloc(1, sizeof *b);
    if (b == NULL)
        return GERSH_ERROR_MEMORY;
    b->asked = (size_t)asked;
    b->done = (size_t)done;
    b->failed = (size_t)failed;
    return read_text(&b->failure, failure, "the failure of the bootstrap");
}

/* What the description has of the features' importance; the numbers of each feature are tensors. */
static gersh_status read_importance(gersh_model *model, json_t *about)
{
    gersh_importance *importance = &model->importance;
    json_error_t error;
    json_int_t splits = 0;
    json_t *separation = NULL, *score = NULL;
    const char *name = "";
    int kind = GERSH_IMPORTANCE_WEIGHT;
    int bad = json_unpack_ex(about, &error, JSON_STRICT, "{s:s, s?o, s?I, s?o}", "kind", &name,
                             "separation", &separation, "splits", &splits, "score", &score);
    while (kind <= GERSH_IMPORTANCE_PERMUTATION &&
           strcmp(gersh_importance_kind_name((gersh_importance_kind)kind), name) != 0)
        kind++;
    if (bad || kind > GERSH_IMPORTANCE_PERMUTATION ||
        (kind == GERSH_IMPORTANCE_CONTRIBUTION && separation == NULL) ||
        (separation != NULL && !(json_is_number(separation) && json_number_value(separation) <= 1)) ||
        (score != NULL) != (splits > 0) || (kind == GERSH_IMPORTANCE_PERMUTATION && score == NULL) ||
        splits < 0 || splits > GERSH_IMPORTANCE_SPLITS ||
        (score != NULL && !(json_number_value(score) <= 1)))
        return gersh__fail(GERSH_ERROR_INPUT, "the record of the features' importance is damaged");
    importance->kind = (gersh_importance_kind)kind;
    importance->separation = json_number_value(separation);
    importance->splits = (size_t)splits;
    importance->score = json_number_value(score);
    size_t k = model->scaling->width;
    if (separation != NULL)
        importance->contribution = gersh__alloc(k, sizeof *importance->contribution);
    if (score != NULL) {
        importance->permutation = gersh__alloc(k, sizeof *importance->permutation);
        importance->deviation = gersh__alloc(k, sizeof *importance->deviation);
    }
    return (separation != NULL && importance->contribution == NULL) ||
                   (score != NULL && (importance->permutation == NULL || importance->deviation == NULL))
               ? GERSH_ERROR_MEMORY
               : GERSH_OK;
}

static int is_digest(const char *text)
{
    return strlen(text) == GERSH__DIGEST_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == GERSH__DIGEST_SIZE - 1;
}

static gersh_status read_digests(gersh_model *model, char *metric, json_t *digest)
{
    const char *of_samples = "", *of_metric = "";
    json_error_t error;
    if (json_unpack_ex(digest, &error, JSON_STRICT, "{s:s, s:s}", "samples", &of_samples, "metric",
                       &of_metric) != 0 ||
        !is_digest(of_samples) || !is_digest(of_metric))
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the digests of the model are damaged; expected two of 64 hexadecimal "
                           "digits, of the samples and of the metric");
    memcpy(model->samples_digest, of_samples, GERSH__DIGEST_SIZE);
    memcpy(metric, of_metric, GERSH__DIGEST_SIZE);
    return GERSH_OK;
}

/* Its atoms are tensors. */
static gersh_status read_witness(gersh_model *model, json_t *witness)
{
    const char *name = "";
    json_error_t error;
    int place = GERSH__WITNESS_NONE;
    int bad = json_unpack_ex(witness, &error, JSON_STRICT, "{s:s, s:F}", "place", &name, "smoothing",
                             &model->witness.width);
    while (place <= GERSH__WITNESS_OWN &&
           strcmp(gersh__witness_place_name((gersh__witness_place)place), name) != 0)
        place++;
    if (bad || place > GERSH__WITNESS_OWN || !(model->witness.width >= 0))
        return gersh__fail(GERSH_ERROR_INPUT, "the record of the witness is damaged");
    model->witnessed = (gersh__witness_place)place;
    return GERSH_OK;
}

static int is_share(double number)
{
    return number >= 0 && number <= 1;
}

static gersh_status read_accuracy(gersh_training_accuracy *accuracy, json_t *about)
{
    json_error_t error;
    json_int_t samples = 0;
    const char *other = NULL;
    int bad =
        json_unpack_ex(about, &error, JSON_STRICT, "{s:I, s:F, s:F, s:i, s:b, s:b, s?s, s?F}", "samples",
                       &samples, "accuracy", &accuracy->accuracy, "euclidean", &accuracy->euclidean,
                       "verdict", &accuracy->verdict, "automatic", &accuracy->automatic, "switched",
                       &accuracy->switched, "other", &other, "other_accuracy", &accuracy->other_accuracy);
    const gersh_objective_info *objective = !bad && other != NULL ? gersh_objective_find(other) : NULL;
    if (bad || samples < 1 || !is_share(accuracy->accuracy) || !is_share(accuracy->euclidean) ||
        !is_share(accuracy->other_accuracy) || accuracy->verdict < -1 || accuracy->verdict > 1 ||
        (other != NULL && objective == NULL))
        return gersh__fail(GERSH_ERROR_INPUT, "the record of the training accuracy is damaged");
    accuracy->samples = (size_t)samples;
    accuracy->other = objective != NULL ? objective->name : NULL;
    return GERSH_OK;
}

gersh_status gersh__model_read_about(gersh__model_reader *r, double *rho)
{
    gersh_model *model = r->model;
    json_t *about = r->about;
    json_error_t error;
    json_t *features, *classes, *settings, *fit, *witness, *digest,
        *rules = NULL, *bootstrap = NULL, *trajectory = NULL, *importance = NULL, *accuracy = NULL,
        *maps = NULL;
    json_int_t rows = 0;
    const char *version = NULL, *task = NULL, *tuples = NULL;
    int format = 0, unit_rows = 0;
    if (json_unpack(about, "{s:i}", "format", &format) != 0)
        return gersh__model_not_one();
    if (format != GERSH__MODEL_FORMAT)
        return gersh__fail(
            GERSH_ERROR_INPUT,
            "the model has format %d but this gersh reads format %d; use the gersh that wrote it", format,
            GERSH__MODEL_FORMAT);
    if (json_unpack_ex(about, &error, JSON_STRICT,
                       "{s:i, s:s, s:s, s:b, s:I, s:o, s:o, s:F, s:b, s:o, s:o, s:o, s:o, s?s, s?o, s?o, "
                       "s?o, s?o, s?o, s?o}",
                       "format", &format, "version", &version, "task", &task, "custom", &model->custom,
                       "rows", &rows, "feature_names", &features, "class_names", &classes, "rho", rho,
                       "unit_rows", &unit_rows, "settings", &settings, "fit", &fit, "witness", &witness,
                       "digest", &digest, "tuples", &tuples, "rules", &rules, "bootstrap", &bootstrap,
                       "trajectory", &trajectory, "importance", &importance, "training_accuracy", &accuracy,
                       "maps", &maps) != 0)
        return gersh__fail(GERSH_ERROR_INPUT, "the description of the model is damaged: %s", error.text);
    model->regress = strcmp(task, "regress") == 0;
    int classify = strcmp(task, "classify") == 0, labelled = model->regress || classify;
    if ((!model->regress && !classify && strcmp(task, "none") != 0) || rows < 1 || !(*rho >= 0))
        return gersh__fail(GERSH_ERROR_INPUT,
                           "the description of the model has an impossible task, number of rows or rho");
    model->rows = (size_t)rows;
    model->version = gersh__text_copy(version, strlen(version));
    if (model->version == NULL)
        return GERSH_ERROR_MEMORY;
    gersh_status status = read_names(&model->feature_names, &model->features, features, "features");
    if (status == GERSH_OK)
        status = read_names(&model->class_names, &model->classes, classes, "classes");
    if (status == GERSH_OK &&
        (model->features == 0 || classify != (model->classes > 0) || (!labelled && tuples == NULL)))
        status = gersh__fail(GERSH_ERROR_INPUT,
                             "the model has %zu features and %zu classes, which its task does not allow",
                             model->features, model->classes);
    if (status == GERSH_OK)
        status = gersh__model_read_maps(r, unit_rows, maps);
    if (status == GERSH_OK)
        status = read_settings(model, settings);
    if (status == GERSH_OK)
        status = read_fit(&model->info, fit);
    if (status == GERSH_OK)
        status = read_witness(model, witness);
    if (status == GERSH_OK)
        status = read_digests(model, r->metric_digest, digest);
    if (status == GERSH_OK && tuples != NULL)
        status = read_kind(model, tuples);
    if (status == GERSH_OK && rules != NULL)
        status = read_rules(model, rules);
    if (status == GERSH_OK && bootstrap != NULL)
        status = read_bootstrap(model, bootstrap);
    if (status == GERSH_OK && trajectory != NULL)
        status = gersh__trajectory_read(&model->trajectory, trajectory);
    if (status == GERSH_OK && importance != NULL)
        status = read_importance(model, importance);
    if (status == GERSH_OK && accuracy != NULL)
        status = read_accuracy(&model->accuracy, accuracy);
    return status;
}
