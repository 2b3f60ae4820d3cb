/* What is kept between runs: hashes of models and motions, and the user's folder of results that take long to make. */
#ifndef SN_IO_OWN_KEPT_H
#define SN_IO_OWN_KEPT_H

#include "sinew/motion.h"
#include "sinew/spec.h"

/* A hash of everything that a model says, and one of every number of a track: equal hashes mean the same model or
 * motion. 0 and an error: a model that cannot be written. */
uint64_t sn_hash_model(const snSpec *spec, snError *error);
uint64_t sn_hash_track(const snTrack *track);

/* Results that depend on a model alone, in the user's cache folder ($XDG_CACHE_HOME/sinew, or ~/.cache/sinew): the
 * settled state (sn_state_save, for snSimDef.settled), the bound skin (sn_skin_bound). kind is a short word; key a hash
 * of all that the result depends on, such as sn_hash_model; version, build and machine are added to it. Reading gives
 * NULL where there is nothing, or nothing whole; writing that fails does nothing. */
void *sn_kept_read(const char *kind, uint64_t key, size_t *size); /* to be freed with sn_kept_free */
static inline void sn_kept_free(void *bytes)
{
    sn_release(bytes);
}
void sn_kept_write(const char *kind, uint64_t key, const void *bytes, size_t size);

/* Writes a whole file beside its name and renames it. */
snStatus sn_save_bytes(const char *path, const void *bytes, size_t size, snError *error);

#endif
