/* Wall-clock seconds from an arbitrary origin, for measuring. */
#ifndef SN_BASE_CLOCK_H
#define SN_BASE_CLOCK_H
double sn_clock(void);
#endif
