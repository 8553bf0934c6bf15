/* Blocks of memory: what malloc and its kin returned, and locals whose address escapes. Each is
 * entered when it begins its life, so that places in it can be named by where it was made and by
 * their offset in it.
 *
 * Cost: one store per block; looked up only when a place is numbered. */
#ifndef FORE_C_BLOCKS_H
#define FORE_C_BLOCKS_H

#include "capture/c/runtime/shadow.h"

bool fore_rt_blocks_open(void);
/* Called in a forked process: the blocks are there, but have no numbers in its file. */
void fore_rt_blocks_forget(void);

/* A block of n bytes begins, made at a place that is not known yet; it ends. */
void fore_rt_block(char *p, size_t n);
void fore_rt_block_gone(const char *p);
/* Bytes of the block that begins at p; 0 if there is none. */
size_t fore_rt_block_size(const char *p);
/* Says where the block that begins at p was made, if there is one. */
void foresee_rt_made(char *p, struct fore_c_site *site);
/* A local begins its life, perhaps where others were before. */
void fore_rt_block_local(char *p, size_t n, struct fore_c_site *site);
/* The stack of the calling thread was another thread's before; no local is left in it. */
void fore_rt_block_stack(void);
void fore_rt_block_stack_gone(char *low, size_t n);

/* The block that p is in, and where it was made; false if that is not known. */
struct fore_rt_block_found {
    const char *start;
    uint64_t size;
    const struct fore_c_site *site;
};
bool fore_rt_block_find(const char *p, struct fore_rt_block_found *out);
/* The number of the place at p, by its block; 0 if that is not known. */
uint32_t fore_rt_block_place(struct fore_rt_thread *t, const char *p);
/* The object at p has this number: notes in which block it lies, if that is known. */
void fore_rt_block_object(struct fore_rt_thread *t, const char *p, uint32_t id);
/* Gives places around p other numbers from now on. */
void fore_rt_block_renumber(const char *p);

#endif
