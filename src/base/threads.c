/* The thread pool; see threads.h. Built with GERSH_NO_THREADS, every loop runs in the caller. */
#define _GNU_SOURCE
#include "base/threads.h"
#include "base/policy.h"

#include "base/alloc.h"
#include "base/blas.h"
#include "base/error.h"

#ifndef GERSH_NO_THREADS

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

struct gersh__pool {
    int threads; /* workers wanted, the caller included */
    int started; /* threads running, the caller not included */
    pid_t owner; /* the process that started them */
    pthread_t *handles;
    pthread_mutex_t lock;
    pthread_cond_t work; /* a loop began, or the pool ends */
    pthread_cond_t done; /* the last worker left the loop */
    unsigned long loop;  /* number of the current loop */
    int inside;          /* threads that have taken parts of it and not left it */
    int next_worker;
    int ending;
    gersh__part part;
    void *context;
    size_t parts;
    size_t next; /* the next part to take */
};

/* How many scopes and pools hold BLAS now, in this process, and what it goes back to after the last of them. */
static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t blas_once = PTHREAD_ONCE_INIT;
static int blas_holders;
static int blas_threads;

static void before_fork(void)
{
    pthread_mutex_lock(&blas_lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&blas_lock);
}

/* The threads that held BLAS are not in the child. */
static void after_fork_in_child(void)
{
    if (blas_holders > 0 && blas_threads != 1)
        openblas_set_num_threads(blas_threads);
    blas_holders = 0;
    pthread_mutex_unlock(&blas_lock);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void gersh__blas_hold(void)
{
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL)
        return;
    pthread_once(&blas_once, watch_forks);
    pthread_mutex_lock(&blas_lock);
    if (blas_holders++ == 0) {
        blas_threads = openblas_get_num_threads();
        if (blas_threads != 1)
            openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&blas_lock);
}

void gersh__blas_release(void)
{
    if (openblas_set_num_threads == NULL || openblas_get_num_threads == NULL)
        return;
    pthread_mutex_lock(&blas_lock);
    /* None are left in a child that was forked inside a scope and now leaves it. */
    if (blas_holders > 0 && --blas_holders == 0 && blas_threads != 1)
        openblas_set_num_threads(blas_threads);
    pthread_mutex_unlock(&blas_lock);
}

static int usable_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static void take_parts(gersh__pool *pool, int worker)
{
    for (;;) {
        size_t mine = __atomic_fetch_add(&pool->next, 1, __ATOMIC_RELAXED);
        if (mine >= pool->parts)
            return;
        pool->part(pool->context, mine, worker);
    }
}

/*
 * Loops follow one another within microseconds, and to wake a thread takes longer: before one sleeps it looks for a while
 * whether what it waits for is there; first at once again, and then, for some tenths of a millisecond, after any other
 * thread that wants the core.
 */

static void pause_briefly(int look)
{
    if (look >= GERSH__QUICK_LOOKS)
        sched_yield();
#if defined(__x86_64__)
    else
        __builtin_ia32_pause();
#endif
}

static void await_loop(const gersh__pool *pool, unsigned long seen)
{
    for (int look = 0; look < GERSH__LOOKS && __atomic_load_n(&pool->loop, __ATOMIC_RELAXED) == seen &&
                       !__atomic_load_n(&pool->ending, __ATOMIC_RELAXED);
         look++)
        pause_briefly(look);
}

static void await_others(const gersh__pool *pool)
{
    for (int look = 0; look < GERSH__LOOKS && __atomic_load_n(&pool->inside, __ATOMIC_RELAXED) > 0; look++)
        pause_briefly(look);
}

/* A thread that comes when all parts are taken stays outside, and nobody waits for it. */
static void *worker_main(void *argument)
{
    gersh__pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    int worker = ++pool->next_worker;
    unsigned long seen = 0;
    for (;;) {
        while (pool->loop == seen && !pool->ending)
            pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->ending)
            break;
        seen = pool->loop;
        if (__atomic_load_n(&pool->next, __ATOMIC_RELAXED) < pool->parts) {
            __atomic_store_n(&pool->inside, pool->inside + 1, __ATOMIC_RELAXED);
            pthread_mutex_unlock(&pool->lock);
            take_parts(pool, worker);
            pthread_mutex_lock(&pool->lock);
            __atomic_store_n(&pool->inside, pool->inside - 1, __ATOMIC_RELAXED);
            if (pool->inside == 0)
                pthread_cond_signal(&pool->done);
        }
        pthread_mutex_unlock(&pool->lock);
        await_loop(pool, seen);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* A new process, or a new pool: no threads yet. */
static void reset(gersh__pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->owner = getpid();
    pool->started = 0;
    pool->next_worker = 0;
    pool->loop = 0;
    pool->inside = 0;
}

/* Starts what is missing of the threads, with all signals blocked: those belong to the caller. */
static void start_workers(gersh__pool *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->started < pool->threads - 1 &&
           pthread_create(&pool->handles[pool->started], NULL, worker_main, pool) == 0)
        pool->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

gersh_status gersh__pool_new(gersh__pool **out, int threads)
{
    *out = NULL;
    if (threads < 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the number of threads is %d; it must not be negative",
                           threads);
    gersh__pool *pool = gersh__alloc(1, sizeof *pool);
    if (pool == NULL)
        return GERSH_ERROR_MEMORY;
    pool->threads = gersh__blas_reserve(threads > 0 ? threads : usable_cores());
    if (pool->threads == 0) {
        gersh__free(pool);
        return GERSH_ERROR_MEMORY;
    }
    pool->handles = gersh__alloc((size_t)pool->threads, sizeof *pool->handles);
    if (pool->handles == NULL) {
        gersh__free(pool);
        return GERSH_ERROR_MEMORY;
    }
    reset(pool);
    gersh__blas_hold();
    *out = pool;
    return GERSH_OK;
}

void gersh__pool_free(gersh__pool *pool)
{
    if (pool == NULL)
        return;
    if (pool->owner == getpid()) {
        pthread_mutex_lock(&pool->lock);
        __atomic_store_n(&pool->ending, 1, __ATOMIC_RELAXED);
        pthread_cond_broadcast(&pool->work);
        pthread_mutex_unlock(&pool->lock);
        for (int i = 0; i < pool->started; i++)
            pthread_join(pool->handles[i], NULL);
        pthread_mutex_destroy(&pool->lock);
        pthread_cond_destroy(&pool->work);
        pthread_cond_destroy(&pool->done);
        gersh__blas_release();
    }
    gersh__free(pool->handles);
    gersh__free(pool);
}

int gersh__pool_threads(const gersh__pool *pool)
{
    return pool != NULL ? pool->threads : 1;
}

void gersh__pool_run(gersh__pool *pool, size_t parts, gersh__part part, void *context)
{
    if (pool == NULL || pool->threads == 1 || parts < 2) {
        for (size_t i = 0; i < parts; i++)
            part(context, i, 0);
        return;
    }
    if (pool->owner != getpid()) {
        reset(pool);
        gersh__blas_hold(); /* that of the parent ended with the fork */
    }
    pthread_mutex_lock(&pool->lock);
    pool->part = part;
    pool->context = context;
    pool->parts = parts;
    __atomic_store_n(&pool->next, 0, __ATOMIC_RELAXED);
    start_workers(pool);
    __atomic_store_n(&pool->loop, pool->loop + 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);

    take_parts(pool, 0);
    await_others(pool);

    pthread_mutex_lock(&pool->lock);
    while (pool->inside > 0)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

#else

struct gersh__pool {
    int threads;
};

void gersh__blas_hold(void)
{
}

void gersh__blas_release(void)
{
}

gersh_status gersh__pool_new(gersh__pool **out, int threads)
{
    *out = NULL;
    if (threads < 0)
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the number of threads is %d; it must not be negative",
                           threads);
    gersh_status status = gersh__blas_check();
    if (status != GERSH_OK)
        return status;
    *out = gersh__alloc(1, sizeof **out);
    if (*out == NULL)
        return GERSH_ERROR_MEMORY;
    (*out)->threads = 1;
    return GERSH_OK;
}

void gersh__pool_free(gersh__pool *pool)
{
    gersh__free(pool);
}

int gersh__pool_threads(const gersh__pool *pool)
{
    (void)pool;
    return 1;
}

void gersh__pool_run(gersh__pool *pool, size_t parts, gersh__part part, void *context)
{
    (void)pool;
    for (size_t i = 0; i < parts; i++)
        part(context, i, 0);
}

#endif
