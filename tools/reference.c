/* Prints docs/reference.md; called by tools/make_docs.sh. */
#include "model/reference.h"

#include <stdio.h>

static void emit(void *user, const char *text)
{
    fputs(text, user);
}

int main(void)
{
    sn_reference_write(emit, stdout);
    return ferror(stdout) ? 1 : 0;
}
