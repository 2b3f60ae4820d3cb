/* Joint coordinates under the names that people use: mcp2.flexion for what files call mcp2.0. */
#ifndef SN_CLI_COORDINATES_H
#define SN_CLI_COORDINATES_H

#include "cli.h"

/* A coordinate of the model: joint (its first), joint.0, or joint.flexion with the words of the model, their last part
 * alone (deviation for radial_deviation), or those of key poses in a model without words; -1: none. */
int32_t cli_find_coordinate(const snSpec *spec, const snModel *model, const char *text);
/* Its name with the model's word for it; as files call it where the model has none. */
const char *cli_coordinate_title(const snSpec *spec, const snModel *model, int32_t coordinate, char text[160]);

#endif
