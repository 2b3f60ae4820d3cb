/* Where motions of a model are kept, shared with the reader of motions. */
#ifndef SN_IO_MOTION_LIBRARY_H
#define SN_IO_MOTION_LIBRARY_H

#include "sinew/base.h"

enum { SN_MOTION_ENDINGS = 11 };
extern const char *const sn_motion_endings[SN_MOTION_ENDINGS];
/* The user's folder for motions of models whose file has this stem; false: there is none, or it is too long. */
bool sn_user_motion_folder(const char *stem, char *path, size_t size);

#endif
