/* CSV files that hold no data set: edge rules and tuples. */
#ifndef GERSH_SRC_IO_PLAIN_H
#define GERSH_SRC_IO_PLAIN_H

#include "data/table.h"

/* The file as a table of words and numbers, no column of labels; header: "auto", "yes" or "no". */
gersh_status gersh__table_read_plain(gersh__table **out, const char *path, const char *header);

#endif
