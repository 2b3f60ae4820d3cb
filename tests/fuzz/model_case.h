/* What the fuzz targets do with a spec that was read: check it, write it, and compile it when the check found nothing,
 * since a checked model must compile. */
#ifndef SN_TESTS_FUZZ_MODEL_CASE_H
#define SN_TESTS_FUZZ_MODEL_CASE_H

#include "io/model_files.h"
#include "sinew/sinew.h"

#include <stdlib.h>

static inline void use_spec(const snSpec *spec)
{
    snProblems problems;
    snError error;
    snWriter out;
    snStatus status = sn_check(spec, &problems);
    if ((status == SN_OK) != (problems.nerror == 0)) abort();
    sn_problems_free(&problems);
    for (int document = SN_DOCUMENT_SCENE; document <= SN_DOCUMENT_MUSCLE; ++document)
        if (sn_model_write(spec, (snDocument)document, "/dev/null", &out, &error) == SN_OK) sn_writer_abort(&out);
    snModel *model = NULL;
    if (status == SN_OK && sn_compile(spec, &model, &error) == SN_OK) sn_model_destroy(model);
}

#endif
