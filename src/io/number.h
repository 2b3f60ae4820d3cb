/* Numbers as text, independent of the locale and exact: what is written is read back bit for bit. */
#ifndef SN_IO_NUMBER_H
#define SN_IO_NUMBER_H

#include <stddef.h>

/* Parses the decimal number at the start of [text, end), correctly rounded. Returns the first character behind it, or
 * NULL when there is none. Overflow gives infinity; "nan" and "inf" (any case, signed) are read as such, so that the
 * caller can name them. The text need not end in a zero byte. */
const char *sn_number_parse(const char *text, const char *end, double *value);

/* Writes the shortest of 15, 16 or 17 significant digits that reads back to the same double, without trailing zeros;
 * returns the length (text is not terminated). Not a number and infinities are written as nan, inf and -inf. */
enum { SN_NUMBER_SIZE = 32 };
size_t sn_number_format(double value, char text[SN_NUMBER_SIZE]);

#endif
