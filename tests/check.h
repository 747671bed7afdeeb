/* What the tests share: cmocka, and the number of random cases. */
#ifndef GERSH_TESTS_CHECK_H
#define GERSH_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gersh/base.h"

/* Random cases of a property test; far fewer with GERSH_TEST_QUICK set, for slow tools such as valgrind. */
static inline int cases(int full)
{
    return getenv("GERSH_TEST_QUICK") != NULL ? (full + 99) / 100 : full;
}

/* A failing call shows the library's own sentence. */
#define assert_ok(call)                                                                                    \
    do {                                                                                                   \
        if ((call) != GERSH_OK)                                                                            \
            fail_msg("%s: %s", #call, gersh_last_error());                                                 \
    } while (0)

#endif
