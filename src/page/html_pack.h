/* The parts of the studio's data. Each writes members of the head, with the comma before it. */
#ifndef SN_IO_HTML_PACK_H
#define SN_IO_HTML_PACK_H

#include "model/model.h"
#include "page/html_bytes.h"
#include "page/own/studio.h"

typedef struct snPack {
    const snStudioDef *def;
    snModel *model; /* of def->spec */
    snBytes head, data;
    snError *error;
} snPack;

/* Starts a member: comma, name in quotes, colon. */
void sn_pack_member(snPack *pack, const char *name);
rigid sn_pack_rest(const snPack *pack, int32_t body); /* world pose of the body's node, as drawn */

void sn_pack_mesh(snPack *pack, const char *name, const double color[3], int32_t nvertex, const double *vertex,
                  int32_t ntriangle, const int32_t *triangle);
snStatus sn_pack_bodies(snPack *pack);
snStatus sn_pack_lines(snPack *pack);        /* nothing for a model without line muscles */
void sn_pack_tree_coordinates(snPack *pack); /* entries of the list of coordinates */
snStatus sn_pack_clinic(snPack *pack);
snStatus sn_pack_skin(snPack *pack);
snStatus sn_pack_skin_offsets(snPack *pack);
snStatus sn_pack_soft(snPack *pack);        /* of def->library */
snStatus sn_pack_coordinates(snPack *pack); /* of the replay */
snStatus sn_pack_replay(snPack *pack);

#endif
