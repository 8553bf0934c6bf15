/* Tags: the numbers by which the words of the shadow name threads. There are far fewer than a program may have threads in
 * turn, so the tags of ended threads are used again.
 *
 * Sound:    a word never names a thread that did not write it. Before a tag is used again, every word that has it is
 *           given the tag BURIED, and instead of its position the number of an entry that has thread and position:
 *           what the ended thread has noted stays known, and nobody takes it for his own.
 * Cost:     all shadow that was ever used is looked through, once for at least DEAD ended threads. */
#ifndef FORE_C_TAGS_H
#define FORE_C_TAGS_H

#include "capture/c/runtime/cell.h"

/* Who has written a word of the shadow, and after how many of the thread's records. */
struct fore_rt_noted {
    uint32_t thread, position;
};
struct fore_rt_noted fore_rt_noted(uint64_t word);

bool fore_rt_tags_open(void);
/* In a forked process, whose shadow is empty. */
void fore_rt_tags_forget(void);
/* The tag of the calling thread as a stamp; 0 if there is none left. */
uint64_t fore_rt_tag_take(uint32_t thread);
/* The calling thread, whose stamp this was, writes no word any more. */
void fore_rt_tag_give_back(uint64_t stamp);

/* Words of these bytes may get tags; before the first of them does. */
void fore_rt_tags_come(const char *p);

/* shadow.c: locks the line of 64 bytes whose shadow begins at this offset; fore_rt_unspin ends it. */
uint32_t *fore_rt_shadow_lock_line(uint64_t offset);

#endif
