/* The entries of the registry of readers, and what the text readers share. */
#ifndef GERSH_SRC_IO_FORMATS_H
#define GERSH_SRC_IO_FORMATS_H

#include "io/read.h"

extern const gersh__reader gersh__reader_npy;
extern const gersh__reader gersh__reader_arff;
extern const gersh__reader gersh__reader_libsvm;
extern const gersh__reader gersh__reader_tsv;
extern const gersh__reader gersh__reader_semicolon;
extern const gersh__reader gersh__reader_csv;
extern const gersh__reader gersh__reader_blank;

/*
 * The character between the fields of a text table: a tab, ';', ',' or, for runs of blanks, ' '. A file of
 * one column gives ','.
 */
char gersh__delimiter_find(const gersh__content *content);

#endif
