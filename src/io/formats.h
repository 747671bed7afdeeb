/* What the text readers share. */
#ifndef GERSH_SRC_IO_FORMATS_H
#define GERSH_SRC_IO_FORMATS_H

#include "io/read.h"

/*
 * The character between the fields of a text table: a tab, ';', ',' or, for runs of blanks, ' '. A file of
 * one column gives ','.
 */
char gersh__delimiter_find(const gersh__content *content);

#endif
