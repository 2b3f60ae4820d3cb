/* Compile a spec into an immutable model, and ask what it contains. */
#ifndef SINEW_MODEL_H
#define SINEW_MODEL_H

#include "sinew/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snModel snModel;

SN_API snStatus sn_compile(const snSpec *spec, snModel **model, snError *error);
SN_API void sn_model_destroy(snModel *model);

/* What the model contains. Names live as long as the model. Group g is also muscle g. Lines are the line muscles of a
 * model on a tree; one muscle may pull by several. */
typedef enum snItem {
    SN_ITEM_BODY,
    SN_ITEM_JOINT,
    SN_ITEM_COORDINATE,
    SN_ITEM_STRAND,
    SN_ITEM_POINT,
    SN_ITEM_MUSCLE,
    SN_ITEM_CONSTRAINT,
    SN_ITEM_GROUP,
    SN_ITEM_LINE
} snItem;
SN_API int32_t sn_count(const snModel *model, snItem item);
SN_API const char *sn_name(const snModel *model, snItem item, int32_t index); /* coordinate: joint.0, joint.1, ... */
/* -1 when absent. A coordinate is found by joint.0 and by the model's own words: joint.radial_deviation, or their last
 * part, joint.deviation, where the joint has the attribute motions. */
SN_API int32_t sn_find(const snModel *model, snItem item, const char *name);
/* The name of a coordinate with the model's word for it, joint.flexion; joint.0 where the model has none. */
SN_API const char *sn_coordinate_title(const snModel *model, int32_t coordinate);
/* Whether it is a length (m) and not an angle (rad). */
SN_API bool sn_coordinate_slides(const snModel *model, int32_t coordinate);
SN_API int32_t sn_strand_muscle(const snModel *model, int32_t strand); /* -1: passive */
/* Lowest and highest value of a joint coordinate, rad or m; infinite where it is not limited. */
SN_API void sn_coordinate_range(const snModel *model, int32_t coordinate, double range[2]);
SN_API double sn_model_step(const snModel *model); /* suggested step, s */

#ifdef __cplusplus
}
#endif
#endif
