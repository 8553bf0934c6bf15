/* Temporary folders that foresee made itself. */
#ifndef FORE_BASE_FOLDER_H
#define FORE_BASE_FOLDER_H

#include <stdint.h>

/* Removes a folder and everything in it; follows no links. "" is no folder. */
void fore_folder_remove(const char *folder);

/* Makes a folder `to` with copies of the files, folders and links of `from`, up to that many
 * bytes. Returns NULL, or why it failed; `to` may then hold a part. */
const char *fore_folder_copy(const char *from, const char *to, uint64_t most_bytes);

#endif
