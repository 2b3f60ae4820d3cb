/* A model copied element by element, kind after kind, as its file lists them. One loop over the kinds serves all that
 * make a model from another, so that a new kind is not forgotten in one of them. */
#ifndef SN_MODEL_COPY_H
#define SN_MODEL_COPY_H

#include "sinew/spec.h"

/* Calls `copy` for every element of every kind but scene and model, until one fails. */
static inline snStatus sn_copy_elements(const snSpec *from, snStatus (*copy)(void *user, snKind kind, snId id),
                                        void *user)
{
    snStatus status = SN_OK;
    for (int kind = 0; kind < SN_KINDS; ++kind)
        for (snId id = 1; id <= sn_spec_count(from, (snKind)kind) && status == SN_OK; ++id)
            status = copy(user, (snKind)kind, id);
    return status;
}

/* One of them as it is. */
static inline snStatus sn_copy_element(const snSpec *from, snSpec *to, snKind kind, snId id)
{
    return sn_add(to, kind, sn_spec_def(from, kind, id), NULL);
}

#endif
