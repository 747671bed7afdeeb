/* Values as JSON; see json.h. */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/text.h"

json_t *gersh__json_append(json_t *list, json_t *value)
{
    if (json_array_append_new(list, value) == 0)
        return list;
    json_decref(list);
    return NULL;
}

json_t *gersh__json_set(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value) == 0)
        return object;
    json_decref(object);
    return NULL;
}

/* Text that grows; what follows a failure is left out, and the failure kept. */
typedef struct growing {
    char *text;
    size_t size, capacity;
    int failed;
} growing;

static void add_piece(void *context, const char *piece, size_t size)
{
    growing *g = context;
    g->failed |= gersh__grow(&g->text, &g->capacity, g->size + size + 1, 1) != 0;
    if (g->failed)
        return;
    memcpy(g->text + g->size, piece, size);
    g->size += size;
    g->text[g->size] = '\0';
}

/* jansson gives whole characters. */
static int add(const char *text, size_t size, void *context)
{
    growing *g = context;
    gersh__clean_each(GERSH__CLEAN_JSON, text, size, add_piece, g);
    return g->failed ? -1 : 0;
}

char *gersh__json_dump(const json_t *document, size_t flags)
{
    growing g = {0};
    if (json_dump_callback(document, add, &g, flags) == 0 && !g.failed)
        return g.text;
    gersh__free(g.text);
    return NULL;
}

static int write_part(const char *text, size_t size, void *context)
{
    gersh__clean_put(context, GERSH__CLEAN_JSON, text, size);
    return 0;
}

void gersh__json_write(FILE *file, const json_t *document, size_t flags)
{
    json_dump_callback(document, write_part, file, flags);
}

/* What jansson takes at most for an object or an array, and for a value with its key and its place in one. */
enum { CONTAINER_BYTES = 256, VALUE_BYTES = 160 };

json_t *gersh__json_reals(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count && array != NULL; i++)
        array = gersh__json_append(array, gersh__json_number(1, values[i]));
    return array;
}

/* The text as it is shown, as a JSON string; short memory is what it is to jansson. */
static json_t *shown(const char *text)
{
    size_t length = strlen(text), size = 6 * length + GERSH__CLEAN_SIZE;
    json_malloc_t get;
    json_free_t release;
    json_get_alloc_funcs(&get, &release);
    char *out = length < SIZE_MAX / 8 ? get(size) : NULL;
    json_t *value =
        out != NULL ? json_string(gersh__clean_text(out, size, GERSH__CLEAN_SHOWN, text)) : NULL;
    if (out != NULL)
        release(out);
    return value;
}

json_t *gersh__json_text(const char *text)
{
    return gersh__text_is_utf8(text) ? json_string(text) : shown(text);
}

int gersh__json_show(json_t *value)
{
    json_t *part;
    const char *name;
    size_t i;
    void *next;
    int failed = 0;
    json_array_foreach(value, i, part)
    {
        failed |= gersh__json_show(part);
        if (json_is_string(part))
            failed |= json_array_set_new(value, i, shown(json_string_value(part)));
    }
    json_object_foreach_safe(value, next, name, part)
    {
        failed |= gersh__json_show(part);
        if (json_is_string(part))
            failed |= json_object_set_new(value, name, shown(json_string_value(part)));
    }
    return failed;
}

json_t *gersh__json_texts(char *const *texts, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count && array != NULL; i++)
        array = gersh__json_append(array, gersh__json_text(texts[i]));
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
