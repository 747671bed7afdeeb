/* Looking up the paper's figures; see paper.h. */
#include "paper.h"

#include <string.h>

#include "tools.h"

static const repro_paper_table *find(const char *name)
{
    const repro_paper_table *table = repro_paper_tables;
    while (table->name != NULL && strcmp(table->name, name) != 0)
        table++;
    return table->name != NULL ? table : NULL;
}

const char *repro_paper_row(const char *table, size_t row)
{
    const repro_paper_table *found = find(table);
    const char *const *line = found != NULL ? found->line : NULL;
    for (size_t r = 0; line != NULL && *line != NULL && r <= row; r++)
        line++;
    return line != NULL ? *line : NULL;
}

/* Field `which` of the line. */
static const char *field(size_t *length, const char *line, size_t which)
{
    for (; which > 0 && line != NULL; which--) {
        line = strchr(line, ',');
        line = line != NULL ? line + 1 : NULL;
    }
    *length = line != NULL ? strcspn(line, ",") : 0;
    return line != NULL ? line : "";
}

const char *repro_paper_field(size_t *length, const char *table, const char *row, const char *column)
{
    const repro_paper_table *found = find(table);
    *length = 0;
    for (size_t which = 0; found != NULL; which++) {
        size_t size;
        const char *name = field(&size, found->line[0], which);
        if (size == 0)
            break;
        if (size == strlen(column) && strncmp(name, column, size) == 0)
            return field(length, row, which);
    }
    return "";
}

int repro_paper_value(double *value, const char *table, const char *column, const char *a, const char *b,
                      const char *c)
{
    const char *keys[] = {a, b, c}, *row;
    for (size_t r = 0; (row = repro_paper_row(table, r)) != NULL; r++) {
        size_t same = 0, length;
        for (; same < 3 && keys[same] != NULL; same++) {
            const char *text = field(&length, row, same);
            if (length != strlen(keys[same]) || strncmp(text, keys[same], length) != 0)
                break;
        }
        if (same < 3 && keys[same] != NULL)
            continue;
        const char *text = repro_paper_field(&length, table, row, column);
        return repro_parse_number(text, length, value);
    }
    return 0;
}
