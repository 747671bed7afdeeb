/*
 * Readers: files to tables. A reader is a gersh__reader in a file of its own, and its name in registry.c; it gets the whole
 * content of the file (unzipped, byte order mark removed) and fills the table.
 */
#ifndef GERSH_SRC_IO_READ_H
#define GERSH_SRC_IO_READ_H

#include "data/table.h"

typedef struct gersh__content {
    char *bytes; /* size bytes and a final NUL; a reader may write into it */
    size_t size;
} gersh__content;

typedef struct gersh__reader {
    const char *format;                         /* the word of the setting `format` */
    int (*fits)(const gersh__content *content); /* whether the content looks like this format */
    gersh_status (*read)(gersh__table *table, gersh__content *content, const gersh_settings *settings);
    int binary;    /* the content is no text */
    int own_label; /* the format says where the label is */
    int unlisted_are_zero; /* rows list some of their features; the others are 0, and there may be more than any lists */
} gersh__reader;

/* The reader of that format; NULL where there is none. */
const gersh__reader *gersh__reader_find(const char *format);

/* The reader that the content looks like, of the binary ones or of those of text, which take anything. */
const gersh__reader *gersh__reader_fit(const gersh__content *content, int binary);

/* Any file as a table; the format as the setting says, or by content. "-" is standard input. */
gersh_status gersh__table_read(gersh__table **out, const char *path, const gersh_settings *settings);

/* The file that the setting `labels` names. */
gersh_status gersh__labels_read(gersh__table **out, const char *path, const gersh_settings *settings);

#endif
