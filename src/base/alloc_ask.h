/* For tests that decide about each allocation while it is made. */
#ifndef SN_BASE_ALLOC_ASK_H
#define SN_BASE_ALLOC_ASK_H

#include <stdbool.h>

/* Asked before every allocation, which fails if it says true; NULL: nobody is asked. */
void sn_alloc_ask(bool (*fails)(void));

#endif
