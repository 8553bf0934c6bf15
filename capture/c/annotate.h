/* What programs tell ThreadSanitizer, one row each: the instrumentor sends those calls to the runtime.
 * V: returns nothing, X: an int. */
#ifndef FORE_C_ANNOTATE_H
#define FORE_C_ANNOTATE_H

#define FORE_C_ANNOTATED(X, V)                                                           \
    V(__tsan_acquire, (void *at))                                                        \
    V(__tsan_release, (void *at))                                                        \
    V(AnnotateHappensBefore, (const char *file, int line, const void *at))               \
    V(AnnotateHappensAfter, (const char *file, int line, const void *at))                \
    V(AnnotateRWLockAcquired, (const char *file, int line, const void *at, long writes)) \
    V(AnnotateRWLockReleased, (const char *file, int line, const void *at, long writes)) \
    V(__tsan_mutex_post_lock, (void *at, unsigned flags, int recursion))                 \
    X(__tsan_mutex_pre_unlock, (void *at, unsigned flags))                               \
    V(AnnotateIgnoreReadsBegin, (const char *file, int line))                            \
    V(AnnotateIgnoreReadsEnd, (const char *file, int line))                              \
    V(AnnotateIgnoreWritesBegin, (const char *file, int line))                           \
    V(AnnotateIgnoreWritesEnd, (const char *file, int line))                             \
    V(AnnotateBenignRace, (const char *file, int line, const void *at, const char *why)) \
    V(AnnotateBenignRaceSized,                                                           \
      (const char *file, int line, const void *at, size_t n, const char *why))

/* Annotations that change nothing here. Programs call them, so they must be defined. */
#define FORE_C_ANNOTATED_NOTHING(X)                                                      \
    X(__tsan_mutex_create)                                                               \
    X(__tsan_mutex_destroy)                                                              \
    X(__tsan_mutex_pre_lock)                                                             \
    X(__tsan_mutex_post_unlock)                                                          \
    X(__tsan_mutex_pre_signal)                                                           \
    X(__tsan_mutex_post_signal)                                                          \
    X(__tsan_mutex_pre_divert)                                                           \
    X(__tsan_mutex_post_divert)                                                          \
    X(__tsan_flush_memory)                                                               \
    X(__tsan_set_fiber_name)                                                             \
    X(__tsan_switch_to_fiber)                                                            \
    X(__tsan_destroy_fiber)                                                              \
    X(__tsan_external_register_header)                                                   \
    X(__tsan_external_assign_tag)                                                        \
    X(__tsan_external_read)                                                              \
    X(__tsan_external_write)                                                             \
    X(AnnotateRWLockCreate)                                                              \
    X(AnnotateRWLockCreateStatic)                                                        \
    X(AnnotateRWLockDestroy)                                                             \
    X(AnnotateCondVarSignal)                                                             \
    X(AnnotateCondVarSignalAll)                                                          \
    X(AnnotateCondVarWait)                                                               \
    X(AnnotateNewMemory)                                                                 \
    X(AnnotateNoOp)                                                                      \
    X(AnnotateFlushState)                                                                \
    X(AnnotateThreadName)                                                                \
    X(AnnotatePublishMemoryRange)                                                        \
    X(AnnotateUnpublishMemoryRange)                                                      \
    X(AnnotateMutexIsUsedAsCondVar)                                                      \
    X(AnnotateMutexIsNotPHB)                                                             \
    X(AnnotateTraceMemory)                                                               \
    X(AnnotateExpectRace)                                                                \
    X(AnnotateFlushExpectedRaces)                                                        \
    X(AnnotateEnableRaceDetection)                                                       \
    X(AnnotateIgnoreSyncBegin)                                                           \
    X(AnnotateIgnoreSyncEnd)                                                             \
    X(AnnotatePCQCreate)                                                                 \
    X(AnnotatePCQDestroy)                                                                \
    X(AnnotatePCQPut)                                                                    \
    X(AnnotatePCQGet)                                                                    \
    X(AnnotateMemoryIsInitialized)                                                       \
    X(AnnotateMemoryIsUninitialized)

/* Annotations whose answer the program uses: a handle of something that foresee does not tell apart. */
#define FORE_C_ANNOTATED_HANDLE(X)                                                       \
    X(__tsan_get_current_fiber)                                                          \
    X(__tsan_create_fiber)                                                               \
    X(__tsan_external_register_tag)

#endif
