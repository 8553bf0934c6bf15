#ifndef FORE_C_SERVER_H
#define FORE_C_SERVER_H

/* Returns once in each run; at once if the program is not run in this way. */
void fore_rt_serve(void);

#endif
