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
        {"format", "2", NULL},
        {"format", NULL, "is not a gersh model"},
        {"format", "99", "the model has format 99 but this gersh reads format 2"},
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
        {"feature_names", "[\"a\", \"b\", [255, 65]]", NULL},
        {"feature_names", "[]", "0 features and 2 classes, which its task does not allow"},
        {"feature_names", "[\"a\", \"b\", \"a\"]",
         "the model's features: numbers 1 and 3 have the same name, 'a'; give each one a name of its own"},
        {"feature_names", "[\"a\", [255, 65], [255, 65]]", "numbers 2 and 3 have the same name, '\\xFFA'"},
        {"feature_names", "[\"a\", \"\", \"b\"]",
         "the model's features: number 2 has no name; give each one a name"},
        {"class_names", "[\"a\", \"a\"]", "the model's classes: numbers 1 and 2 have the same name, 'a'"},
        {"class_names", "[\"\", \"a\"]", NULL},
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
         "the course of the fit in the model is damaged"},
        {"trajectory", "{\"stages\": [\"a\"], \"points\": [[1, 1, 1, 1, null, 1]]}",
         "the course of the fit in the model is damaged"},
        {"trajectory", "{\"stages\": [\"a\"], \"points\": [[0, 1, 1, 1, null, 1]]}", NULL},
    };
    (void)state;
    gersh_model *model = random_model(5, 12, 3, 2, "glr", "balanced", 0);
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
    };
    (void)state;
    gersh_model *model = random_model(5, 12, 3, 2, "glr", "balanced", 0);
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
    read_back(&p, "targets", NULL);
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
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_kinds_of_models),
    };
    return cmocka_run_group_tests_name("model_damage", tests, NULL, NULL);
}
