/* The mappings of the process, and which of them are memory that others may write, too. */
#ifndef FORE_C_MAPPINGS_H
#define FORE_C_MAPPINGS_H

#include "capture/c/runtime/rt.h"

/* One mapping, as the kernel lists it. */
struct fore_rt_mapping {
    unsigned long from, to, offset, inode;
    bool shared;
};

/* Is there a mapping of which `is` is true? Calls no function that is recorded or takes turns. */
bool fore_rt_any_mapping(bool (*is)(const struct fore_rt_mapping *m, const void *ctx),
                         const void *ctx);
/* Says what cannot be seen of a part of a file that was just mapped and is shared. */
void fore_rt_mapped_file(struct fore_rt_mapping new, int fd, struct fore_c_site *site);
/* In a forked child. */
void fore_rt_mappings_forget(void);

#endif
