/* The simulation inside the page: the WebAssembly module that the build made, and the model packed for it. */
#ifndef SN_PAGE_SOLVER_H
#define SN_PAGE_SOLVER_H

#include "page/html_bytes.h"
#include "sinew/spec.h"

/* A file that the build made for pages: in the build tree that this runs from, or in the installed share folder.
 * relative: its path in either. */
bool sn_find_shared(const char *relative, char *path, size_t size);

/* The module: SINEW_WASM (a file), or js/sinew.wasm as above. To be freed with sn_free. */
snStatus sn_load_solver(char **wasm, size_t *size, snError *error);
/* The files of a model as a tar archive that js/sinew.mjs takes: one folder, model/, with model.muscle.xml. */
snStatus sn_pack_model(const snSpec *spec, snBytes *tar, snError *error);

#endif
