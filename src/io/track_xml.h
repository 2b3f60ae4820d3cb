/* Control and replay files. The elements, shared by reader and writer:
 *
 *     <Replay version="1" model="hand">        or <Control ...>, which has bodies only
 *       <Body name="radius"/>                  the channels first, in the order of the numbers
 *       <Strand name="FDP2" points="12"/>
 *       <Scalar name="activation/FDP2"/>
 *       <Frame time="0.004">
 *         <Bodies>x y z qw qx qy qz ...</Bodies>
 *         <Points>x y z ...</Points>
 *         <Scalars>...</Scalars>
 *       </Frame>
 *     </Replay>
 */
#ifndef SN_IO_TRACK_XML_H
#define SN_IO_TRACK_XML_H

#include "sinew/io.h"

#define SN_TRACK_MIN_STEP 1e-5 /* s: frames closer than this are a mistake, not a motion */

snStatus sn_parse_track(const char *file, const char *data, size_t size, snTrack **track, snError *error);
/* What is left of a file that was cut off: everything up to its last whole frame. */
snStatus sn_parse_track_part(const char *file, const char *data, size_t size, snTrack **track, snError *error);

#endif
