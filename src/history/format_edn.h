/* Rows of the table in format.c. */
#ifndef FORE_HISTORY_FORMAT_EDN_H
#define FORE_HISTORY_FORMAT_EDN_H

#include "history/format.h"

extern const struct fore_history_format fore_history_format_kv, fore_history_format_edn,
    fore_history_format_json;

#endif
