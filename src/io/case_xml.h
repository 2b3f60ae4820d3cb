/* Cases as XML. */
#ifndef SN_IO_CASE_XML_H
#define SN_IO_CASE_XML_H

#include "sinew/io.h"

snStatus sn_parse_case(const char *name, const char *bytes, size_t size, snCase **c, snError *error);

#endif
