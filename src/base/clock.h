/* Wall-clock seconds from an arbitrary origin, for measuring. */
#ifndef SN_BASE_CLOCK_H
#define SN_BASE_CLOCK_H
double sn_clock(void);
/* The same of processor time of the calling thread: what others take of a shared machine does not count. */
double sn_clock_thread(void);
#endif
