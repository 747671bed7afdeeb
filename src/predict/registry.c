/*
 * The classifiers that there are, by name, in the order in which lists name them. Each is defined in a file of src/predict
 * as gersh__classifier_<name>.
 */
#include <string.h>

#include "base/settings.h"
#include "predict/classify.h"

#define CLASSIFIERS                                                                                        \
    CLASSIFIER(knn)                                                                                        \
    CLASSIFIER(mahalanobis)                                                                                \
    CLASSIFIER(graph)

#define CLASSIFIER(name) extern const gersh__classifier gersh__classifier_##name;
CLASSIFIERS
#undef CLASSIFIER

#define CLASSIFIER(name) &gersh__classifier_##name,
static const gersh__classifier *const registry[] = {CLASSIFIERS};
#undef CLASSIFIER

#define CLASSIFIER(name) "|" #name
const char gersh__classifier_choices[] = CLASSIFIERS; /* with a bar before the first */
#undef CLASSIFIER

enum { COUNT = sizeof registry / sizeof registry[0] };

const gersh__classifier *gersh__classifier_at(size_t index)
{
    return index < COUNT ? registry[index] : NULL;
}

const gersh__classifier *gersh__classifier_find(const char *name)
{
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(registry[i]->info.name, name) == 0)
            return registry[i];
    return NULL;
}

const gersh_classifier_info *gersh_classifier_at(int index)
{
    const gersh__classifier *kind = index >= 0 ? gersh__classifier_at((size_t)index) : NULL;
    return kind != NULL ? &kind->info : NULL;
}

const gersh_classifier_info *gersh_classifier_find(const char *name)
{
    const gersh__classifier *kind = gersh__classifier_find(name);
    return kind != NULL ? &kind->info : NULL;
}
