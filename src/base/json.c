/* Values as JSON; see json.h. */
#include "base/json.h"

#include <math.h>

json_t *gersh__json_reals(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_real(values[i]));
    return array;
}

json_t *gersh__json_text(const char *text)
{
    json_t *value = json_string(text);
    return value != NULL ? value : json_null();
}

json_t *gersh__json_texts(char *const *texts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, gersh__json_text(texts[i]));
    return array;
}

json_t *gersh__json_number(int there, double value)
{
    return there && isfinite(value) ? json_real(value) : json_null();
}
