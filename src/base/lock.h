/* A lock for what the parts of a loop share; nothing at all in a build without threads. */
#ifndef GERSH_SRC_BASE_LOCK_H
#define GERSH_SRC_BASE_LOCK_H

#ifndef GERSH_NO_THREADS
#include <pthread.h>

typedef pthread_mutex_t gersh__lock;

#define gersh__lock_init(lock) pthread_mutex_init(lock, NULL)
#define gersh__lock_clear(lock) pthread_mutex_destroy(lock)
#define gersh__lock_take(lock) pthread_mutex_lock(lock)
#define gersh__lock_leave(lock) pthread_mutex_unlock(lock)
#else
typedef int gersh__lock;

#define gersh__lock_init(lock) ((void)(lock))
#define gersh__lock_clear(lock) ((void)(lock))
#define gersh__lock_take(lock) ((void)(lock))
#define gersh__lock_leave(lock) ((void)(lock))
#endif

#endif
