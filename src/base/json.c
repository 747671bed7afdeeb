/* Values as JSON; see json.h. */
#include "base/json.h"

#include <math.h>

/* What jansson takes at most for an object or an array, and for a value with its key and its place in one. */
enum { CONTAINER_BYTES = 256, VALUE_BYTES = 160 };

json_t *gersh__json_reals(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, gersh__json_number(1, values[i]));
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

double gersh__json_bytes(const char *text, size_t length)
{
    double bytes = 4 * (double)length; /* the texts themselves, and the parser's buffers */
    int quoted = 0;
    for (size_t i = 0; i < length; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '{' || text[i] == '['))
            bytes += CONTAINER_BYTES;
        else if (!quoted && (text[i] == ',' || text[i] == ':'))
            bytes += VALUE_BYTES;
    }
    return bytes;
}
