/* OpenMP programs. */
#ifndef FORE_C_RUNTIME_OPENMP_H
#define FORE_C_RUNTIME_OPENMP_H

#include <stdbool.h>
#include <stdint.h>

/* Is it a call of OpenMP's library, and does that library report what the call orders? */
bool fore_rt_openmp_knows(const char *call);
/* Puts out to the thing: comes before what all threads later take in from it. */
void fore_rt_openmp_out(uint64_t thing);
void fore_rt_openmp_in(uint64_t thing);
/* Orders all tasks of the team that have ended by now before this point. */
void fore_rt_openmp_tasks(void);
/* Under control: the thread begins to wait within the library; it stops waiting. */
void fore_rt_openmp_leave(void);
void fore_rt_openmp_back(void);
/* The threads that the library keeps for its teams. */
extern uint32_t fore_rt_openmp_workers;
/* Where the library lies, once it has announced itself. */
extern const char *fore_rt_openmp_from, *fore_rt_openmp_to;

#endif
