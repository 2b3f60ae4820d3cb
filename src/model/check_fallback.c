#include "sinew/spec.h"
__attribute__((weak)) snStatus sn_check(const snSpec *s, snProblems *p) { (void)s; *p = (snProblems){0}; return SN_OK; }
__attribute__((weak)) void sn_problems_free(snProblems *p) { (void)p; }
