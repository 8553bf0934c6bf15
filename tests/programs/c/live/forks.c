/* The child breaks the property; then both wait for the file that the argument names. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int x;

int main(int argc, char **argv)
{
    x = 0;
    pid_t child = fork();
    if (child == 0)
        x = 1;
    for (int i = 0; argc > 1 && i < 6000 && access(argv[1], F_OK); i++)
        usleep(10000);
    if (child > 0)
        wait(NULL);
    return 0;
}
