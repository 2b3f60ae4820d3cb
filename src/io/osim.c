/* Models of OpenSim: see osim.h. */
#include "io/osim.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/model_formats.h"

#include <string.h>

/* Forces that are not muscles, and laws that differ, in one line each. */
static snStatus say_forces(snOsim *o)
{
    static const char *const ignored[] = {"Muscle", "PathActuator", "groups", "PathSpring", "Ligament", "objects"};
    snStatus status = SN_OK;
    int32_t muscles = sn_spec_count(o->spec, SN_KIND_LINE_MUSCLE);
    for (const snXmlNode *node = osim_objects(o->model, "ForceSet"); node && !status; node = node->next) {
        bool known = false;
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; ++i) known = known || strstr(node->tag, ignored[i]);
        if (!known && *osim_name(node))
            status = osim_miss(o, node, "a %s is left out: its force is missing", node->tag);
    }
    if (!status && muscles)
        status =
            osim_miss(o, sn_xml_child(o->model, "ForceSet"),
                      "muscles (%d): tendons are rigid, the pennation is that at the optimal length, and force falls "
                      "in a straight line with the speed of shortening",
                      (int)muscles);
    return status;
}

/* Kinds of muscles whose own curves are not those that they get. */
static snStatus say_laws(snOsim *o)
{
    const char *last = "";
    snStatus status = SN_OK;
    for (const snXmlNode *node = o->model; node && !status; node = sn_xml_next(node, o->model)) {
        if (!strstr(node->tag, "Muscle") || !sn_xml_child(node, "GeometryPath") || strcmp(node->tag, last) == 0)
            continue;
        last = node->tag;
        if (strstr(node->tag, "Millard"))
            status = osim_miss(o, node, "of every %s: De Groote's fit stands for its force-length curves", node->tag);
        else if (!strstr(node->tag, "Thelen") && !strstr(node->tag, "DeGroote"))
            status = osim_miss(o, node, "of every %s: Thelen's curves stand for its own", node->tag);
    }
    return status;
}

static snStatus read_model(snOsim *o)
{
    snStatus status = osim_read_bodies(o);
    if (!status) status = osim_read_joints(o);
    if (!status) status = osim_couple(o);
    if (!status) status = osim_read_carriers(o);
    if (!status) status = osim_draw(o);
    if (!status) status = osim_read_wraps(o);
    if (!status) status = osim_write_scene(o);
    if (!status) status = osim_write_coordinates(o);
    if (!status) status = osim_write_muscles(o);
    if (!status) status = osim_hold_rest(o);
    if (!status) status = say_laws(o);
    return status ? status : say_forces(o);
}

static snStatus check_root(snOsim *o, const snXmlNode *root)
{
    const char *version = sn_xml_attribute(root->attribute, "Version");
    if (strcmp(root->tag, "OpenSimDocument") != 0)
        return osim_fail(o, root, "an OpenSim model begins with OpenSimDocument", "the root element is %.60s",
                         root->tag);
    if (!version) return osim_fail(o, root, "save it again in OpenSim", "OpenSimDocument has no Version");
    if (!(o->model = sn_xml_child(root, "Model"))) {
        const snXmlNode *other = root->child;
        return osim_fail(o, other ? other : root, "give a file with a Model", "the file has no Model%s%.60s",
                         other ? ", but a " : "", other ? other->tag : "");
    }
    return SN_OK;
}

snStatus sn_osim_read(snSpec *spec, const char *name, const char *bytes, size_t size, snError *error)
{
    snArena arena = {0};
    snError own;
    snOsim o = {.spec = spec, .file = sn_spec_text(spec, name), .arena = &arena, .error = error ? error : &own};
    const snXmlNode *root = NULL;
    snStatus status = o.file ? sn_xml_tree(name, bytes, size, &arena, &root, o.error) : osim_no_memory(&o);
    if (!status) status = check_root(&o, root);
    if (!status) status = read_model(&o);
    sn_array_free(&o.body);
    sn_array_free(&o.coordinate);
    sn_array_free(&o.wrap);
    sn_array_free(&o.carrier);
    sn_arena_free(&arena);
    return status;
}

snStatus sn_osim_load(snSpec *spec, const char *path, snError *error)
{
    char *bytes = NULL;
    size_t size = 0;
    snStatus status = sn_file_read_reference(path, SN_FILE_LIMIT, &bytes, &size, error);
    if (status) return status;
    status = sn_osim_read(spec, path, bytes, size, error);
    sn_free(bytes);
    return status;
}
