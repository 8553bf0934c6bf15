/* A row of the table in format.c. */
#ifndef FORE_HISTORY_FORMAT_JEPSEN_H
#define FORE_HISTORY_FORMAT_JEPSEN_H

#include "history/format.h"

extern const struct fore_history_format fore_history_format_jepsen;

#endif
