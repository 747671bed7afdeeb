/*
 * The objectives that the verifier knows, by name: gersh__reference_<name>, each beside its definition. Tests put one of
 * theirs beside these: GERSH__PLUG names a header, which says so as
 *
 *     #define GERSH__PLUG_REFERENCES REFERENCE(toy)
 */
#include <string.h>

#include "verify/verify.h"

#ifdef GERSH__PLUG
#include GERSH__PLUG
#endif
#ifndef GERSH__PLUG_REFERENCES
#define GERSH__PLUG_REFERENCES
#endif

#define REFERENCES                                                                                         \
    REFERENCE(mcml)                                                                                        \
    REFERENCE(deml)                                                                                        \
    REFERENCE(lsml)                                                                                        \
    REFERENCE(lmnn)                                                                                        \
    REFERENCE(glr)                                                                                         \
    GERSH__PLUG_REFERENCES

#define REFERENCE(name) extern const gersh__reference gersh__reference_##name;
REFERENCES
#undef REFERENCE

#define REFERENCE(name) &gersh__reference_##name,
static const gersh__reference *const registry[] = {REFERENCES};
#undef REFERENCE

const gersh__reference *gersh__reference_find(const char *name)
{
    for (size_t r = 0; r < sizeof registry / sizeof registry[0]; r++)
        if (strcmp(registry[r]->name, name) == 0)
            return registry[r];
    return NULL;
}
