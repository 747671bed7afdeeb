/*
 * The page without its data, as report/build.mjs makes it from the sources in report/: the data stand between the two
 * parts. Both are empty in a build without Node.
 */
#ifndef GERSH_SRC_REPORT_PAGE_H
#define GERSH_SRC_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char gersh__page_before[], gersh__page_after[];
extern const size_t gersh__page_before_size, gersh__page_after_size;

#endif
