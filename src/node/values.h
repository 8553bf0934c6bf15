/* Values of the explorer that stand for texts: a number for each JSON text of nodes. */
#ifndef FORE_NODE_VALUES_H
#define FORE_NODE_VALUES_H

#include "base/err.h"
#include "base/json.h"
#include "base/strbuf.h"

#include <stdint.h>

int64_t fore_value_of_text(const char *s, size_t n);
/* A number is itself; the order of a list does not count. */
int64_t fore_value_of_json(const struct fore_json *v);
/* As JSON. */
void fore_write_value(int64_t v, struct fore_strbuf *out);
/* The text that a value stands for; NULL: it is a number. */
const char *fore_nodes_value(int64_t value);

/* Names the file by which the processes of an MPI job tell each other texts. */
enum fore_status fore_values_share(const char *path, struct fore_err *e) FORE_MUST_USE;
void fore_values_close(void);

#endif
