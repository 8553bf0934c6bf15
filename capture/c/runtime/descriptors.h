/* Which descriptors have to do with each other. */
#ifndef FORE_C_DESCRIPTORS_H
#define FORE_C_DESCRIPTORS_H

#include <stdint.h>

/* The descriptor that this is a copy of, or itself. */
int fore_rt_same_descriptor(int fd);
/* The same for both ends of a connection; 0 if that cannot be known. */
uint64_t fore_rt_connection(int fd, uint64_t inode);
void fore_rt_descriptors_forget(void);

#endif
