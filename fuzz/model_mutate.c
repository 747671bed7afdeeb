/*
 * Changes to model files that leave the layout whole, so that the fuzzer gets beyond it: a member of the head or of the
 * description gets another value or goes, a number of a tensor becomes one at the edge of something. The bytes of a file
 * that is none are changed at random.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static unsigned draw(unsigned *seed, size_t limit)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (unsigned)((*seed >> 8) % limit);
}

static json_t *other_value(unsigned *seed, const json_t *old)
{
    static const double numbers[] = {0, -1, 1, 2, 1e-9, 1e300, -1e300, 9007199254740992.0, 1e-320};
    static const json_int_t wholes[] = {0, 1, -1, 2, 3, 255, 2147483647, 4294967296, 9223372036854775807};
    static const char *const words[] = {"",      "F64",      "I64",  "classify", "regress", "none",
                                        "pairs", "hull",     "psd",  "lmnn",     "auto",    "/",
                                        "1e9",   "\x1b[31m", "mcml", "deml",     "graph",   "mahalanobis"};
    switch (draw(seed, 6)) {
    case 0:
        return json_real(numbers[draw(seed, sizeof numbers / sizeof numbers[0])]);
    case 1:
        return json_string(words[draw(seed, sizeof words / sizeof words[0])]);
    case 2:
        return json_is_array(old) ? json_deep_copy(json_array_get(old, 0)) : json_array();
    case 3:
        return json_is_integer(old) ? json_integer((json_int_t)((uint64_t)json_integer_value(old) + 1))
                                    : json_null();
    default:
        return json_integer(wholes[draw(seed, sizeof wholes / sizeof wholes[0])]);
    }
}

/* Goes down from the value to a random place, and changes something there. */
static void change_value(unsigned *seed, json_t *value)
{
    for (int depth = 0; depth < 8; depth++) {
        size_t count = json_is_object(value) ? json_object_size(value) : json_array_size(value);
        if (count == 0)
            return;
        size_t which = draw(seed, count);
        void *at = json_object_iter(value);
        for (size_t i = 0; i < which && json_is_object(value); i++)
            at = json_object_iter_next(value, at);
        json_t *child = json_is_object(value) ? json_object_iter_value(at) : json_array_get(value, which);
        int inner = json_is_object(child) || json_is_array(child);
        if (inner && draw(seed, 8) > 0) {
            value = child;
            continue;
        }
        unsigned what = draw(seed, 8);
        if (json_is_object(value) && what == 0)
            json_object_del(value, json_object_iter_key(at));
        else if (json_is_object(value))
            json_object_iter_set_new(value, at, other_value(seed, child));
        else if (what == 0)
            json_array_remove(value, which);
        else if (what == 1)
            json_array_append_new(value, json_deep_copy(child));
        else
            json_array_set_new(value, which, other_value(seed, child));
        return;
    }
}

/* The head with one change, in it or in the description that it holds as text; NULL when it is not JSON. */
static char *change_head(unsigned *seed, const char *bytes, size_t length)
{
    json_t *head = json_loadb(bytes, length, 0, NULL), *about = NULL;
    const char *text = NULL;
    char *out = NULL;
    if (head == NULL)
        return NULL;
    json_unpack(head, "{s:{s:s}}", "__metadata__", "gersh", &text);
    if (text != NULL && draw(seed, 4) > 0)
        about = json_loads(text, 0, NULL);
    change_value(seed, about != NULL ? about : head);
    if (about != NULL) {
        char *dumped = json_dumps(about, JSON_COMPACT | JSON_REAL_PRECISION(17));
        json_object_set_new(json_object_get(head, "__metadata__"), "gersh", json_string(dumped));
        free(dumped);
    }
    out = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(about);
    json_decref(head);
    return out;
}

static void put_length(uint8_t *data, uint64_t length)
{
    for (int i = 0; i < 8; i++)
        data[i] = (uint8_t)(length >> (8 * i));
}

static void change_number(unsigned *seed, uint8_t *tensors, size_t count)
{
    static const double numbers[] = {0, -0.0, 1, -1, 1e-9, 1e9, 1e150, 1e-150, 1e300, -1e300, 5e-324};
    uint8_t *at = tensors + 8 * (size_t)draw(seed, count);
    const double *number = &numbers[draw(seed, sizeof numbers / sizeof numbers[0])];
    switch (draw(seed, 3)) {
    case 0:
        put_length(at, draw(seed, 5)); /* a whole number */
        break;
    case 1:
        memcpy(at, tensors + 8 * (size_t)draw(seed, count), 8);
        break;
    default:
        memcpy(at, number, 8);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t length = 0;
    for (int i = 7; i >= 0 && size > 8; i--)
        length = length << 8 | data[i];
    if (size <= 8 || length > size - 8 || draw(&seed, 8) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t tensors = size - 8 - (size_t)length;
    if (tensors >= 8 && draw(&seed, 2) == 0) {
        change_number(&seed, data + 8 + length, tensors / 8);
        return size;
    }
    char *head = change_head(&seed, (const char *)data + 8, (size_t)length);
    size_t changed = head != NULL ? strlen(head) : 0, padded = (changed + 7) / 8 * 8;
    if (head == NULL || 8 + padded + tensors > max_size) {
        free(head);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memmove(data + 8 + padded, data + 8 + length, tensors);
    memset(data + 8, ' ', padded);
    memcpy(data + 8, head, changed);
    put_length(data, padded);
    free(head);
    return 8 + padded + tensors;
}
