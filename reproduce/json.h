/* Reports as JSON. */
#ifndef GERSH_REPRODUCE_JSON_H
#define GERSH_REPRODUCE_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "reproduce.h"

/* New references. Where memory is short the program ends: see repro_json_start. */
json_t *repro_json_report(const repro_report *report);
json_t *repro_json_result(const repro_result *result);

/* Where an allocation of jansson's fails, it drops what it had no room for. So none does: the program ends with a sentence. */
void repro_json_start(void);

/* Writes the document (taken over) and a newline. Characters that a terminal would obey are \u escapes in it. */
void repro_json_write(FILE *file, json_t *document);

#endif
