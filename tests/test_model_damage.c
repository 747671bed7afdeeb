/* Every member of a model file that is missing, of another kind or impossible is named in the sentence that refuses it. */
#include "models.h"

#include <jansson.h>

enum { most = 1 << 20 };

typedef struct packed {
    json_t *head, *about;
    const char *tensors;
    size_t size;
    char *bytes;
} packed;

static void open_packed(packed *p, const gersh_model *model)
{
    size_t size = 0;
    uint64_t length = 0;
    assert_ok(gersh_model_pack(&p->bytes, &size, model, 1));
    for (int i = 0; i < 8; i++)
        length |= (uint64_t)(unsigned char)p->bytes[i] << (8 * i);
    p->head = json_loadb(p->bytes + 8, length, 0, NULL);
    p->about = json_loads(
        json_string_value(json_object_get(json_object_get(p->head, "__metadata__"), "gersh")), 0, NULL);
    assert_non_null(p->about);
    p->tensors = p->bytes + 8 + length;
    p->size = size - 8 - length;
}

static void close_packed(packed *p)
{
    json_decref(p->head);
    json_decref(p->about);
    free(p->bytes);
}

/* Reads it back, which must fail with the sentence; NULL: must succeed. */
static void read_back(packed *p, const char *what, const char *sentence)
{
    gersh_model *model = NULL;
    char *about = json_dumps(p->about, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    json_t *gersh = json_pack("{s:s}", "gersh", about);
    json_object_set_new(p->head, "__metadata__", gersh);
    char *head = json_dumps(p->head, JSON_COMPACT), *all = calloc(1, most);
    size_t length = strlen(head);
    for (int i = 0; i < 8; i++)
        all[i] = (char)(length >> (8 * i));
    assert_true(8 + length + p->size < most);
    memcpy(all + 8, head, length);
    memcpy(all + 8 + length, p->tensors, p->size);
    gersh_status status = gersh_model_unpack(&model, all, 8 + length + p->size);
    if (sentence == NULL && status != GERSH_OK)
        fail_msg("%s: %s", what, gersh_last_error());
    if (sentence != NULL && (status != GERSH_ERROR_INPUT || strstr(gersh_last_error(), sentence) == NULL))
        fail_msg("%s: status %s, sentence '%s', expected '%s'", what, gersh_status_name(status),
                 gersh_last_error(), sentence);
    gersh_model_free(model);
    free(about);
    free(head);
    free(all);
}

/* A change: a member of the description ("a.b"), or of the head ("/a.b"), and its new value as JSON; NULL takes it out. */
typedef struct change {
    const char *member, *value, *sentence;
} change;

static void apply(const gersh_model *model, const change *c)
{
    packed p;
    char path[64];
    open_packed(&p, model);
    snprintf(path, sizeof path, "%s", c->member);
    json_t *at = path[0] == '/' ? p.head : p.about;
    char *name = path + (path[0] == '/'), *dot = strchr(name, '.');
    if (dot != NULL) {
        *dot = '\0';
        at = json_object_get(at, name);
        name = dot + 1;
    }
    if (c->value == NULL)
        assert_int_equal(json_object_del(at, name), 0);
    else
        assert_int_equal(json_object_set_new(at, name, json_loads(c->value, JSON_DECODE_ANY, NULL)), 0);
    read_back(&p, c->member, c->sentence);
    close_packed(&p);
}

static void test_description(void **state)
{
    static const change all[] = {
        {"format", "3", NULL},
        {"format", NULL, "is not a gersh model"},
        {"format", "99", "the model has format 99 but this gersh reads format 3"},
        {"version", NULL, "the description of the model is damaged"},
        {"strange", "1", "the description of the model is damaged"},
        {"task", "\"guess\"", "impossible task, number of rows or rho"},
        {"task", "\"none\"", "3 features and 2 classes, which its task does not allow"},
        {"rows", "0", "impossible task, number of rows or rho"},
        {"rho", "-1", "impossible task, number of rows or rho"},
        {"feature_names", "5", "the list of names of features is missing"},
        {"class_names", "{}", "the list of names of classes is missing"},
        {"class_names", "[]", "3 features and 0 classes, which its task does not allow"},
        {"feature_names", "[\"a\", \"b\", 7]", "a name is neither a text nor a list of bytes"},
        {"feature_names", "[\"a\", \"b\", [65, 0]]", "a name is neither a text nor a list of bytes"},
        {"feature_names", "[\"a\", \"b\", [65, 300]]", "a name is neither a text nor a list of bytes"},
        {"feature_names", "[\"a\", \"b\", [255, 65]]",
         "the training samples are not those that the file has the digest of"}, /* read, but not the names of these */
        {"feature_names", "[]", "0 features and 2 classes, which its task does not allow"},
        {"feature_names", "[\"a\", \"b\", \"a\"]",
         "the model's features: numbers 1 and 3 have the same name, 'a'; give each one a name of its own"},
        {"feature_names", "[\"a\", [255, 65], [255, 65]]", "numbers 2 and 3 have the same name, '\\xFFA'"},
        {"feature_names", "[\"a\", \"\", \"b\"]",
         "the model's features: number 2 has no name; give each one a name"},
        {"class_names", "[\"a\", \"a\"]", "the model's classes: numbers 1 and 2 have the same name, 'a'"},
        {"class_names", "[\"\", \"a\"]", "the training samples are not those"}, /* not for the empty name */
        {"settings", "[]", "the settings are missing"},
        {"settings.scale", "\"odd\"", "a setting of the model cannot be used: scale: 'odd' is not one of"},
        {"settings.scale", "1", "the value of a setting is neither a text nor a list of bytes"},
        {"fit.seconds", NULL, "the record of the fit is damaged"},
        {"fit.bound", "\"high\"", "the record of the fit has a bound that is not a number"},
        {"fit.gap", "null", "the record of the fit has a bound that is not a number"},
        {"fit.stop", "\"bored\"", "an unknown reason to stop or a negative number"},
        {"fit.iterations", "-1", "an unknown reason to stop or a negative number"},
        {"fit.pairs", "{}", "the record of the pairs is damaged"},
        {"fit.pairs", NULL, NULL},
        {"tuples", "\"quintuplets\"", "the model has tuples of an unknown kind"},
        {"rules", "[]", "the model has edge rules that are no list of them"},
        {"rules", "[[0, 0, \"forbidden\"]]", "edge rule 1 of the model is damaged"},
        {"rules", "[[0, 1, \"allowed\"], [0, 9, \"forbidden\"]]", "edge rule 2 of the model is damaged"},
        {"rules", "[[0, 1, \"liked\"]]", "edge rule 1 of the model is damaged"},
        {"rules", "[[0, 1, \"positive\"]]", NULL},
        {"bootstrap", "{\"asked\": 1, \"done\": 2, \"failed\": 0, \"failure\": \"\"}",
         "the numbers of resamples of the model's bootstrap are damaged"},
        {"bootstrap", "{\"asked\": 2, \"done\": 2, \"failed\": 0, \"failure\": 5}",
         "the failure of the bootstrap is neither a text nor a list of bytes"},
        {"trajectory", "{\"stages\": [1], \"points\": [[0, 1, 1, 1, null, 1]]}",
         "the history of the fit in the model is damaged"},
        {"trajectory", "{\"stages\": [\"a\"], \"points\": [[1, 1, 1, 1, null, 1]]}",
         "the history of the fit in the model is damaged"},
        {"trajectory", "{\"stages\": [\"a\"], \"points\": [[0, 1, 1, 1, null, 1]]}", NULL},
    };
    (void)state;
    gersh_model *model = random_model(5, 12, 3, 2, "glr", "balanced", 0);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        apply(model, &all[i]);
    gersh_model_free(model);
}

/* One whose bound rests on another metric than its own. */
static gersh_model *witnessed_model(void)
{
    for (uint64_t seed = 5;; seed++) {
        gersh_model *model = random_model(seed, 12, 3, 2, "glr", "balanced", 0);
        if (model->witnessed == GERSH__WITNESS_OWN)
            return model;
        gersh_model_free(model);
    }
}

#define DIGITS "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define PAIRS(choice, count, error)                                                                        \
    "{\"choice\": \"" choice "\", \"count\": " count ", \"all\": 66, \"rows\": 12, \"rounds\": 1, "        \
    "\"value_error\": " error ", \"memory\": 0}"

/* What contradicts itself, and what the certificate rests on. */
static void test_claims(void **state)
{
    static const change all[] = {
        {"witness", NULL, "the description of the model is damaged"},
        {"witness", "{}", "the record of the witness is damaged"},
        {"witness.place", "\"elsewhere\"", "the record of the witness is damaged"},
        {"witness.place", "\"metric\"", "tensor 'witness_weight' does not belong to this kind of model"},
        {"witness.smoothing", "-1", "the record of the witness is damaged"},
        {"witness.smoothing", "0.5", "the witness is said to be smoothed by 0.5"},
        {"digest", NULL, "the description of the model is damaged"},
        {"digest", "{}", "the digests of the model are damaged"},
        {"digest.metric", "\"12ab\"", "the digests of the model are damaged"},
        {"digest.metric", "\"" DIGITS "\"", "the metric is not the one that the file has the digest of"},
        {"digest.samples", "\"" DIGITS "\"",
         "the training samples are not those that the file has the digest of"},
        {"settings.solver", "\"psd\"", "the metric has sparse atoms, which the solver psd does not make"},
        {"settings.solver", "\"sgml\"", "the model states a bound, but the solver sgml has none"},
        {"settings.tol", "\"0.5\"", "the fit's tolerance is 0.001 but the setting tol is 0.5"},
        {"fit.tol", "0.5", "the fit's tolerance is 0.5 but the setting tol is 0.001"},
        {"fit.budget", "0.001", "but the model says that at most 0.001 was allowed"},
        {"fit.rho", "0.5", "but 0.5 for the fit"},
        {"fit.bound", "1e9", "the bound 1000000000 is on the wrong side of the value"},
        {"fit.gap", "1e9", "the gap is stated as 1000000000, but value and bound are"},
        {"fit.search_gap", "1e9", "the gap of the search, 1000000000, is not between 0 and the gap"},
        {"fit.relative_gap", "1e9", "the relative gap 1000000000 is not that of the gap"},
        {"fit.pairs", PAIRS("all", "66", "0"), NULL},
        {"fit.pairs", PAIRS("all", "66", "1e-300"),
         "the value is stated with an error of 1e-300, but it is not of sampled pairs"},
        {"fit.pairs", PAIRS("all", "65", "0"),
         "the fit is said to have learned from all pairs, but from 65 of 66"},
        {"fit.pairs", PAIRS("tuples", "66", "0"),
         "the fit is said to have learned from tuples, but the model has no tuples"},
        {"fit.pairs", PAIRS("sampled", "66", "1"),
         "the model has a witness but no bound that it could be of"},
    };
    (void)state;
    gersh_model *model = witnessed_model();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        apply(model, &all[i]);
    gersh_model_free(model);
}

static void test_tensors(void **state)
{
    static const change all[] = {
        {"/mean", NULL, "the tensors have"},
        {"/oddity", "{}", "there is an unknown tensor 'oddity'"},
        {"/mean", "[]", "tensor 'mean' is malformed"},
        {"/mean.shape", "3", "tensor 'mean' is malformed"},
        {"/mean.dtype", "\"I64\"", "tensor 'mean' has another type than F64"},
        {"/labels.dtype", "\"F64\"", "tensor 'labels' has another type than I64"},
        {"/mean.shape", "[3, 1]", "tensor 'mean' has 2 dimensions instead of 1"},
        {"/mean.shape", "[-3]", "tensor 'mean' has an impossible shape"},
        {"/mean.shape", "[\"3\"]", "tensor 'mean' has an impossible shape"},
        {"/x.shape", "[4611686018427387904, 4611686018427387904]", "tensor 'x' has an impossible shape"},
        {"/mean.shape", "[2]", "tensor 'mean' has 2 numbers but 24 bytes"},
        {"/mean.data_offsets", "[0, 24]", "overlap; the model is damaged"},
        {"/mean.data_offsets", "[-8, 16]", "the file has only"},
        {"/mean.data_offsets", "[0, 99999999]", "the file has only"},
        {"/witness_weight.dtype", "\"I64\"", "tensor 'witness_weight' has another type than F64"},
        {"/witness_nodes.dtype", "\"F64\"", "tensor 'witness_nodes' has another type than I64"},
        {"/witness_entries", NULL, "the tensors have"},
        {"/witness_dense", "{}", "tensor 'witness_dense' is malformed"},
    };
    (void)state;
    gersh_model *model = witnessed_model();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        apply(model, &all[i]);
    gersh_model_free(model);
}

/* A tensor goes, and with it its bytes, so that the others still fill the file. */
static void test_kinds_of_models(void **state)
{
    packed p;
    gersh_model *model = random_model(5, 12, 3, 2, "glr", "balanced", 0);
    (void)state;
    open_packed(&p, model);
    json_t *labels = json_object_get(p.head, "labels");
    json_object_set(p.head, "tuples", labels); /* a tensor of another kind of model in the labels' place */
    json_object_set_new(json_object_get(p.head, "tuples"), "shape", json_pack("[i, i]", 12, 1));
    json_object_del(p.head, "labels");
    read_back(&p, "labels", "tensor 'labels' is missing; the model is damaged");
    close_packed(&p);
    open_packed(&p, model);
    json_object_set_new(p.about, "task", json_string("regress"));
    json_object_set_new(p.about, "class_names", json_array());
    read_back(&p, "task", "tensor 'targets' is missing; the model is damaged");
    json_object_set(p.head, "targets", json_object_get(p.head, "labels"));
    json_object_del(p.head, "labels");
    json_object_set_new(json_object_get(p.head, "targets"), "dtype", json_string("F64"));
    /* All that is asked of such a model is there, but these are not the samples that it was written with. */
    read_back(&p, "targets", "the training samples are not those that the file has the digest of");
    json_object_set(p.head, "labels", json_object_get(p.head, "targets"));
    json_object_del(p.head, "targets");
    json_object_set_new(json_object_get(p.head, "labels"), "dtype", json_string("I64"));
    json_object_set_new(p.about, "task", json_string("classify"));
    read_back(&p, "no classes", "3 features and 0 classes, which its task does not allow");
    close_packed(&p);
    gersh_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_kinds_of_models),
    };
    return cmocka_run_group_tests_name("model_damage", tests, NULL, NULL);
}
