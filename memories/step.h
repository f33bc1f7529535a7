/* Step points for code in C (C99 or newer, gcc or clang): where the code says which step it takes
   next. A point does nothing, unless a controller of Counterpoint runs the thread: then the thread
   stops there until it is its turn. Without a controller a point costs one test of a pointer.

       COUNTERPOINT_STEP("lock", transaction, object);
       while (!try_lock(object))
           if (COUNTERPOINT_WAIT("lock", transaction, object)) return GIVEN_UP;

   A point stands just before its step. Where code waits, it passes COUNTERPOINT_WAIT on each try
   that was in vain, with the same arguments; the answer 1 means that the run is over, and that the
   code should give up instead of waiting for ever. COUNTERPOINT_NOTHING stands for an argument that
   a step does not have. From Python: counterpoint.memories.connect(library). */
#ifndef COUNTERPOINT_STEP_H
#define COUNTERPOINT_STEP_H

#include <stdint.h>

typedef int (*counterpoint_hook)(const char *name, int64_t a, int64_t b, int waiting);

/* Weak, so that several files of one library may include this header and share the pointer. */
__attribute__((weak, visibility("default"))) counterpoint_hook counterpoint_step_hook = 0;

#define COUNTERPOINT_NOTHING INT64_MIN

static inline int counterpoint_point(const char *name, int64_t a, int64_t b, int waiting)
{
    counterpoint_hook hook = __atomic_load_n(&counterpoint_step_hook, __ATOMIC_ACQUIRE);
    return __builtin_expect(hook != 0, 0) ? hook(name, a, b, waiting) : 0;
}

#define COUNTERPOINT_STEP(name, a, b) ((void)counterpoint_point((name), (a), (b), 0))
#define COUNTERPOINT_WAIT(name, a, b) counterpoint_point((name), (a), (b), 1)

#endif
