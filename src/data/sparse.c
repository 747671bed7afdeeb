/* Sparse matrices; see sparse.h. */
#include "data/sparse.h"

#include <string.h>

#include "base/alloc.h"

gersh_status gersh__sparse_new(gersh__sparse **out, size_t lists, size_t entries)
{
    *out = NULL;
    gersh__sparse *sparse = gersh__alloc(1, sizeof *sparse);
    if (sparse == NULL)
        return GERSH_ERROR_MEMORY;
    sparse->lists = lists;
    sparse->start = gersh__alloc(lists + 1, sizeof *sparse->start);
    sparse->index = gersh__alloc(entries, sizeof *sparse->index);
    sparse->value = gersh__alloc(entries, sizeof *sparse->value);
    if (sparse->start == NULL || sparse->index == NULL || sparse->value == NULL) {
        gersh__sparse_free(sparse);
        return GERSH_ERROR_MEMORY;
    }
    *out = sparse;
    return GERSH_OK;
}

void gersh__sparse_free(gersh__sparse *sparse)
{
    if (sparse == NULL)
        return;
    gersh__free(sparse->start);
    gersh__free(sparse->index);
    gersh__free(sparse->value);
    gersh__free(sparse->shift);
    gersh__free(sparse->factor);
    gersh__free(sparse);
}

static gersh_status copy_numbers(double **out, const double *from, size_t count)
{
    if (from == NULL)
        return GERSH_OK;
    *out = gersh__alloc(count, sizeof **out);
    if (*out == NULL)
        return GERSH_ERROR_MEMORY;
    memcpy(*out, from, count * sizeof **out);
    return GERSH_OK;
}

gersh_status gersh__sparse_transpose(gersh__sparse **out, const gersh__sparse *sparse, size_t width)
{
    size_t entries = sparse->start[sparse->lists];
    gersh__sparse *turned;
    *out = NULL;
    gersh_status status = gersh__sparse_new(&turned, width, entries);
    if (status != GERSH_OK)
        return status;
    for (size_t e = 0; e < entries; e++)
        turned->start[sparse->index[e] + 1]++;
    for (size_t l = 0; l < width; l++)
        turned->start[l + 1] += turned->start[l];
    for (size_t l = 0; l < sparse->lists; l++) {
        for (size_t e = sparse->start[l]; e < sparse->start[l + 1]; e++) {
            size_t place = turned->start[sparse->index[e]]++;
            turned->index[place] = l;
            turned->value[place] = sparse->value[e];
        }
    }
    /* Each start has moved on to the next one. */
    for (size_t l = width; l > 0; l--)
        turned->start[l] = turned->start[l - 1];
    turned->start[0] = 0;
    status = copy_numbers(&turned->shift, sparse->shift, width);
    if (status == GERSH_OK)
        status = copy_numbers(&turned->factor, sparse->factor, sparse->lists);
    turned->shift_square = sparse->shift_square;
    if (status == GERSH_OK)
        *out = turned;
    else
        gersh__sparse_free(turned);
    return status;
}

/* With u the difference of the entries and δ that of the factors, |u − δ shift|². */
double gersh__sparse_distance(const gersh__sparse *rows, size_t i, size_t j)
{
    size_t a = rows->start[i], b = rows->start[j], a_end = rows->start[i + 1], b_end = rows->start[j + 1];
    double apart = rows->shift != NULL && rows->factor != NULL ? rows->factor[i] - rows->factor[j] : 0;
    double square = 0, along = 0;
    while (a < a_end || b < b_end) {
        size_t left = a < a_end ? rows->index[a] : (size_t)-1,
               right = b < b_end ? rows->index[b] : (size_t)-1;
        double difference = 0;
        if (left <= right)
            difference += rows->value[a++];
        if (right <= left)
            difference -= rows->value[b++];
        square += difference * difference;
        if (apart != 0)
            along += difference * rows->shift[left < right ? left : right];
    }
    double distance = square + apart * (apart * rows->shift_square - 2 * along);
    return distance > 0 ? distance : 0;
}

void gersh__sparse_row(const gersh__sparse *rows, size_t i, size_t features, double *out)
{
    double factor = rows->factor != NULL ? rows->factor[i] : 1;
    for (size_t f = 0; f < features; f++)
        out[f] = rows->shift != NULL ? -factor * rows->shift[f] : 0;
    for (size_t e = rows->start[i]; e < rows->start[i + 1]; e++)
        out[rows->index[e]] += rows->value[e];
}

gersh_status gersh__sparse_rows(gersh__sparse **out, const gersh__sparse *rows, const size_t *which,
                                size_t count, size_t features)
{
    size_t entries = 0;
    gersh__sparse *taken;
    *out = NULL;
    for (size_t i = 0; i < count; i++)
        entries += rows->start[which[i] + 1] - rows->start[which[i]];
    gersh_status status = gersh__sparse_new(&taken, count, entries);
    if (status != GERSH_OK)
        return status;
    status = copy_numbers(&taken->shift, rows->shift, features);
    taken->shift_square = rows->shift_square;
    if (status == GERSH_OK && rows->factor != NULL) {
        taken->factor = gersh__alloc(count, sizeof *taken->factor);
        status = taken->factor != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
    }
    if (status != GERSH_OK) {
        gersh__sparse_free(taken);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        size_t from = rows->start[which[i]], length = rows->start[which[i] + 1] - from;
        memcpy(taken->index + taken->start[i], rows->index + from, length * sizeof *taken->index);
        memcpy(taken->value + taken->start[i], rows->value + from, length * sizeof *taken->value);
        taken->start[i + 1] = taken->start[i] + length;
        if (rows->factor != NULL)
            taken->factor[i] = rows->factor[which[i]];
    }
    *out = taken;
    return GERSH_OK;
}

double gersh__sparse_entry(const gersh__sparse *sparse, size_t list, size_t index)
{
    size_t low = sparse->start[list], high = sparse->start[list + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sparse->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sparse->start[list + 1] && sparse->index[low] == index ? sparse->value[low] : 0;
}
