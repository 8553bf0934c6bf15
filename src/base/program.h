/* Finds programs: this one, and those on PATH. */
#ifndef FORE_BASE_PROGRAM_H
#define FORE_BASE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

/* The path of this program, and of its folder; "" if it cannot be found. */
void fore_program_self(char *out, size_t size);
void fore_program_folder(char *out, size_t size);

/* The file that `name` runs: found on PATH, or the path itself if it has a slash. */
bool fore_program_find(const char *name, char *out, size_t size);

#endif
