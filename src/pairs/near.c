/* The distance that few pairs of different samples do not exceed; see pairs.h. */
#include "base/alloc.h"
#include "pairs/pairs.h"

enum { ONE_IN = 500 };

/* The least of the distances that were seen, the largest of them on top. */
typedef struct least {
    double *heap;
    size_t count, most;
} least;

static void sink(const least *s, size_t at)
{
    double one = s->heap[at];
    for (size_t child; (child = 2 * at + 1) < s->count; at = child) {
        child += child + 1 < s->count && s->heap[child + 1] > s->heap[child];
        if (s->heap[child] <= one)
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = one;
}

static void see(least *s, size_t count, const double *d)
{
    for (size_t p = 0; p < count; p++) {
        if (s->count < s->most) {
            s->heap[s->count++] = d[p];
            for (size_t at = s->count == s->most ? s->most / 2 : 0; at-- > 0;)
                sink(s, at);
        } else if (d[p] < s->heap[0]) {
            s->heap[0] = d[p];
            sink(s, 0);
        }
    }
}

/* Samples before i of other classes, or all where there are targets. */
static size_t earlier(const gersh__pairs *pairs, size_t i)
{
    return pairs->classes > 0 ? pairs->class_start[gersh__pairs_class(pairs, i)] : i;
}

/* Whether a listed pair is of different samples. */
static int different(const gersh__pairs *pairs, size_t p)
{
    return gersh__pairs_knowledge(pairs) == GERSH__TARGETS ||
           !gersh__pairs_similar(pairs, p, pairs->first[p], pairs->second[p]);
}

gersh_status gersh__pairs_near(const gersh__pairs *pairs, double *near)
{
    size_t count = 0;
    for (size_t i = 0; pairs->first == NULL && i < pairs->n; i++)
        count += earlier(pairs, i);
    for (size_t p = 0; pairs->first != NULL && p < pairs->count; p++)
        count += (size_t)different(pairs, p);
    least s = {.most = count / ONE_IN + 1};
    double *d = gersh__alloc(pairs->count, sizeof *d);
    s.heap = gersh__alloc(s.most, sizeof *s.heap);
    gersh_status status = d && s.heap ? GERSH_OK : GERSH_ERROR_MEMORY;
    if (status == GERSH_OK) {
        gersh__pairs_euclid(pairs, d);
        for (size_t i = 0; pairs->first == NULL && i < pairs->n; i++)
            see(&s, earlier(pairs, i), d + pairs->row[i]);
        for (size_t p = 0; pairs->first != NULL && p < pairs->count; p++)
            see(&s, (size_t)different(pairs, p), d + p);
        *near = s.heap[0];
    }
    gersh__free(d);
    gersh__free(s.heap);
    return status;
}
