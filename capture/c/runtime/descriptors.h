/* Finds which descriptors belong together. */
#ifndef FORE_C_DESCRIPTORS_H
#define FORE_C_DESCRIPTORS_H

#include <stdint.h>

/* The descriptor of which this one is a copy, or itself. */
int fore_rt_same_descriptor(int fd);
/* A number that both ends of a connection share; 0 if that cannot be known. */
uint64_t fore_rt_connection(int fd, uint64_t inode);
void fore_rt_descriptors_forget(void);

#endif
