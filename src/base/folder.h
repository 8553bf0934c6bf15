/* Folders that we made ourselves, for what is not to stay. */
#ifndef FORE_BASE_FOLDER_H
#define FORE_BASE_FOLDER_H

#include <stdint.h>

/* Removes a folder with all that is in it; follows no links. "" is none. */
void fore_folder_remove(const char *folder);

/* Makes a folder `to` with what is in `from`: files, folders and links, at most so many bytes. NULL,
 * or why not; then there may be a part of it. */
const char *fore_folder_copy(const char *from, const char *to, uint64_t most_bytes);

#endif
