/* What programs tell ThreadSanitizer is believed: HOW 6 says nothing, and races. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#if !__has_feature(thread_sanitizer)
#error programs ask for this before they annotate anything
#endif
void __tsan_acquire(void *at);
void __tsan_release(void *at);
void AnnotateHappensBefore(const char *file, int line, const volatile void *at);
void AnnotateHappensAfter(const char *file, int line, const volatile void *at);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *at, long w);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *at, long w);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *at,
                             size_t n, const char *why);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateNoOp(const char *file, int line, const volatile void *at);

static int x, tag;

__attribute__((no_sanitize("thread"), noinline)) static void write_unseen(void)
{
    x = 3;
}

static void *first(void *unused)
{
    if (HOW == 5)
        AnnotateRWLockAcquired(__FILE__, __LINE__, &tag, 1);
    if (HOW == 4)
        write_unseen();
    else
        x = 1;
    if (HOW == 0)
        __tsan_release(&tag);
    if (HOW == 1)
        AnnotateHappensBefore(__FILE__, __LINE__, &tag);
    if (HOW == 5)
        AnnotateRWLockReleased(__FILE__, __LINE__, &tag, 1);
    return unused;
}

int main(void)
{
    pthread_t t;
    volatile int seen;
    AnnotateNoOp(__FILE__, __LINE__, &x);
    if (HOW == 2)
        AnnotateBenignRaceSized(__FILE__, __LINE__, &x, sizeof x, "");
    pthread_create(&t, NULL, first, NULL);
    usleep(30000);
    if (HOW == 0)
        __tsan_acquire(&tag);
    if (HOW == 1)
        AnnotateHappensAfter(__FILE__, __LINE__, &tag);
    if (HOW == 3)
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    if (HOW == 5)
        AnnotateRWLockAcquired(__FILE__, __LINE__, &tag, 1);
    if (HOW == 3)
        seen = x;
    else
        x = 2;
    if (HOW == 3)
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    if (HOW == 5)
        AnnotateRWLockReleased(__FILE__, __LINE__, &tag, 1);
    pthread_join(t, NULL);
    return 0;
}
