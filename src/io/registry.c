/*
 * The readers that there are, by the name of their format: gersh__reader_<name>. The last one is asked first whether it
 * fits; the csv reader takes what no other does.
 */
#include <string.h>

#include "base/settings.h"
#include "io/read.h"

#define READERS                                                                                            \
    READER(csv)                                                                                            \
    READER(tsv)                                                                                            \
    READER(semicolon)                                                                                      \
    READER(blank)                                                                                          \
    READER(libsvm)                                                                                         \
    READER(arff)                                                                                           \
    READER(npy)

#define READER(name) extern const gersh__reader gersh__reader_##name;
READERS
#undef READER

#define READER(name) &gersh__reader_##name,
static const gersh__reader *const registry[] = {READERS};
#undef READER

#define READER(name) "|" #name
const char gersh__format_choices[] = "auto" READERS;
#undef READER

enum { COUNT = sizeof registry / sizeof registry[0] };

const gersh__reader *gersh__reader_find(const char *format)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(registry[i]->format, format) == 0)
            return registry[i];
    return NULL;
}

const gersh__reader *gersh__reader_fit(const gersh__content *content, int binary)
{
    for (size_t i = COUNT; i-- > 0;)
        if ((registry[i]->binary != 0) == binary && registry[i]->fits(content))
            return registry[i];
    return NULL;
}
