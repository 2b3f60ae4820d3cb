/* A model straight from a spec, which is used up; what is wrong with it is printed. */
#ifndef SN_TESTS_COMPILED_H
#define SN_TESTS_COMPILED_H

#include "check.h"

#include "sinew/model.h"

static inline snModel *compiled(snSpec *spec)
{
    snModel *m = NULL;
    snError error;
    assert_non_null(spec);
    if (sn_compile(spec, &m, &error) != SN_OK) print_error("%s\n", error.message);
    sn_spec_destroy(spec);
    assert_non_null(m);
    return m;
}

#endif
