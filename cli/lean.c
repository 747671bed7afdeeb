/* What the programs do before their libraries begin; gersh and gersh-reproduce are linked with it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* What follows the name and '=' where the variable is that one, else NULL. */
static const char *value_of(const char *variable, const char *name)
{
    while (*name != '\0' && *variable == *name) {
        variable++;
        name++;
    }
    return *name == '\0' && *variable == '=' ? variable + 1 : NULL;
}

/*
 * OpenBLAS starts a thread for every core but one as soon as it is loaded. gersh has threads of its own and uses none of
 * these, but where one of them gets no stack the program is killed, and where it gets no buffer it tries for ever. So where
 * memory is limited, the program starts once more without them. This runs before any library is initialised, hence without
 * what needs that.
 */
static void start_lean(int argc, char **argv, char **variables)
{
    static const char name[] = "OPENBLAS_NUM_THREADS";
    static char setting[] = "OPENBLAS_NUM_THREADS=1";
    size_t count = 0, kept = 0;
    (void)argc;
    if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA))
        return;
    for (; variables[count] != NULL; count++) {
        const char *value = value_of(variables[count], name);
        if (value != NULL && value[0] == '1' && value[1] == '\0')
            return;
    }
    char **lean =
        mmap(NULL, (count + 2) * sizeof *lean, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lean == MAP_FAILED)
        return;
    for (size_t i = 0; i < count; i++)
        if (value_of(variables[i], name) == NULL)
            lean[kept++] = variables[i];
    lean[kept++] = setting;
    lean[kept] = NULL;
    execve((const char *)getauxval(AT_EXECFN), argv, lean);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = start_lean;
