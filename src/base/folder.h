/* Folders that we made ourselves, for what is not to stay. */
#ifndef FORE_BASE_FOLDER_H
#define FORE_BASE_FOLDER_H

/* Removes a folder with all that is in it; follows no links. "" is none. */
void fore_folder_remove(const char *folder);

#endif
