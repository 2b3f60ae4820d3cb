/* See model_formats.h: one row per format. */
#include "io/model_formats.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/xml.h"

#include <string.h>

static const snModelFormat formats[] = {
    {"OpenSim", ".osim", "OpenSimDocument", sn_osim_load},
    {"MuJoCo", NULL, "mujoco", sn_mjcf_load},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* Keeps the first tag and ends the reading there. */
static snStatus keep_root(void *user, snXml *xml, const char *tag, const char **attribute)
{
    (void)attribute;
    const char **root = user;
    for (int i = 0; i < FORMATS; ++i)
        if (strcmp(tag, formats[i].root) == 0) *root = formats[i].root;
    return sn_xml_fail(xml, 0, NULL, NULL, "the rest is not read");
}

static snStatus no_end(void *user, snXml *xml, const char *tag)
{
    (void)user, (void)xml, (void)tag;
    return SN_OK;
}

/* The root element where it is that of a format, else NULL. */
static const char *root_of(const char *path)
{
    static const snXmlHandler handler = {keep_root, no_end, NULL};
    const char *root = NULL;
    char *bytes = NULL;
    size_t size = 0;
    snError error;
    if (sn_file_read_reference(path, SN_FILE_LIMIT, &bytes, &size, &error)) return NULL;
    (void)sn_xml_read(path, bytes, size, &handler, &root, &error);
    sn_free(bytes);
    return root;
}

const snModelFormat *sn_model_format(const char *path)
{
    for (int i = 0; i < FORMATS; ++i)
        if (formats[i].ending && sn_path_ends(path, formats[i].ending)) return &formats[i];
    if (sn_path_ends(path, ".muscle.xml") || sn_path_ends(path, ".scene.xml")) return NULL;
    const char *root = root_of(path);
    for (int i = 0; root && i < FORMATS; ++i)
        if (formats[i].root == root) return &formats[i];
    return NULL;
}
