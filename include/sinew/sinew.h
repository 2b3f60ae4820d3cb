/* The whole public API. */
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H
#include "sinew/author.h"
#include "sinew/base.h"
#include "sinew/clinical.h"
#include "sinew/control.h"
#include "sinew/deform.h"
#include "sinew/drive.h"
#include "sinew/flesh.h"
#include "sinew/io.h"
#include "sinew/load.h"
#include "sinew/mesh.h"
#include "sinew/meshfree.h"
#include "sinew/model.h"
#include "sinew/motion.h"
#include "sinew/playback.h"
#include "sinew/record.h"
#include "sinew/sim.h"
#include "sinew/skin.h"
#include "sinew/spec.h"
#include "sinew/steer.h"
#include "sinew/trust.h"
#endif
