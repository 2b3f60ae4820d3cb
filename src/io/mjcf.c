/* The reader of MJCF: includes, compiler options, and the order of things. See mjcf.h. */
#include "io/mjcf.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/model_formats.h"

#include <string.h>

/* ---- includes ----------------------------------------------------------------------------- */

/* Every element knows its file: in text, which MJCF does not use. */
static bool name_file(snMjcf *m, const snXmlNode *root, const char *file)
{
    const char *own = sn_arena_strdup(m->arena, file);
    for (const snXmlNode *n = root; own && n; n = sn_xml_next(n, root)) ((snXmlNode *)(uintptr_t)n)->text = own;
    return own != NULL;
}

static snStatus include(snMjcf *m, snXmlNode *at, const snXmlNode **root);

/* Puts what is included in the place of each <include>. */
static snStatus expand(snMjcf *m, snXmlNode *parent)
{
    snXmlNode **link = &parent->child;
    while (*link) {
        snXmlNode *node = *link;
        snStatus status = SN_OK;
        if (strcmp(node->tag, "include") != 0) {
            if ((status = expand(m, node))) return status;
            link = &node->next;
            continue;
        }
        const snXmlNode *root = NULL;
        if ((status = include(m, node, &root))) return status;
        snXmlNode *first = root->child, *last = first;
        for (snXmlNode *n = first; n; n = n->next) n->parent = parent, last = n;
        if (last) last->next = node->next;
        *link = first ? first : node->next;
    }
    return SN_OK;
}

/* Beside the main file, as MuJoCo looks for it, or else beside the file that includes it. */
static snStatus read_beside(snMjcf *m, const snXmlNode *at, const char *file, char **path, char **bytes, size_t *size)
{
    snError error = {0};
    *path = sn_path_beside(m->file, file);
    if (*path && !sn_file_exists(*path)) {
        sn_free(*path);
        *path = sn_path_beside(at->text, file);
    }
    if (!*path) return mjcf_no_memory(m);
    snStatus status = sn_file_read_reference(*path, SN_FILE_LIMIT, bytes, size, &error);
    if (!status) return SN_OK;
    mjcf_fail(m, at, "names of included files are relative to the main file", "%.200s cannot be included: %.200s", file,
              error.message);
    return m->error->status = status;
}

static snStatus include(snMjcf *m, snXmlNode *at, const snXmlNode **root)
{
    const char *file = sn_xml_attribute(at->attribute, "file");
    char *path = NULL, *bytes = NULL;
    size_t size = 0;
    if (!file) return mjcf_fail(m, at, "say which file", "include has no file");
    if (++m->includes > MJCF_INCLUDES)
        return mjcf_fail(m, at, "does a file include itself?", "there are more than %d includes", MJCF_INCLUDES);
    snStatus status = read_beside(m, at, file, &path, &bytes, &size);
    if (!status) status = sn_xml_tree(path, bytes, size, m->arena, root, m->error);
    if (!status && !name_file(m, *root, path)) status = mjcf_no_memory(m);
    if (!status) status = expand(m, (snXmlNode *)(uintptr_t)*root);
    sn_free(bytes);
    sn_free(path);
    return status;
}

/* ---- compiler ----------------------------------------------------------------------------- */

static snStatus read_compiler(snMjcf *m, const snXmlNode *c)
{
    const char *angle = sn_xml_attribute(c->attribute, "angle"), *euler = sn_xml_attribute(c->attribute, "eulerseq");
    const char *dir = sn_xml_attribute(c->attribute, "meshdir"), *frame = sn_xml_attribute(c->attribute, "coordinate");
    const char *limits = sn_xml_attribute(c->attribute, "autolimits");
    const char *geoms = sn_xml_attribute(c->attribute, "inertiafromgeom");
    if (!dir) dir = sn_xml_attribute(c->attribute, "assetdir");
    if (angle) m->degree = strcmp(angle, "radian") == 0 ? 1 : SN_DEG;
    if (dir) m->meshdir = dir;
    if (limits) m->limits_by_word = strcmp(limits, "false") == 0;
    if (geoms) m->mass_by_geoms = strcmp(geoms, "true") == 0, m->mass_by_inertial = strcmp(geoms, "false") == 0;
    if (euler && (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3))
        return mjcf_fail(m, c, "such as xyz", "eulerseq is \"%.40s\"", euler);
    if (euler) memcpy(m->eulerseq, euler, 4);
    if (frame && strcmp(frame, "global") == 0)
        return mjcf_fail(m, c, "save it with a newer MuJoCo, which gives local coordinates",
                         "coordinate=\"global\" is not read");
    if (sn_xml_attribute(c->attribute, "settotalmass")) {
        snStatus status = mjcf_miss(m, c, "settotalmass is left out: masses are those of the bodies");
        if (status) return status;
    }
    snStatus status = mjcf_numbers(m, c, NULL, "boundmass", 1, 1, &m->least_mass, NULL);
    return status ? status : mjcf_numbers(m, c, NULL, "boundinertia", 1, 1, &m->least_inertia, NULL);
}

static snStatus write_root(snMjcf *m)
{
    snSceneDef scene = sn_default_scene_def();
    snModelDef model = sn_default_model_def();
    double gravity[3] = {0, 0, -9.81}, step = 0.002;
    snStatus status = SN_OK;
    for (const snXmlNode *o = NULL; !status && (o = mjcf_section(m, "option", o));) {
        status = mjcf_numbers(m, o, NULL, "gravity", 3, 3, gravity, NULL);
        if (!status) status = mjcf_numbers(m, o, NULL, "timestep", 1, 1, &step, NULL);
    }
    if (status) return status;
    memcpy(model.gravity, gravity, sizeof gravity);
    scene.up = fabs(gravity[1]) > fabs(gravity[2]) ? SN_AXIS_Y : SN_AXIS_Z;
    model.type = SN_MODEL_TREE;
    if (step >= 1e-5 && step <= 0.02) model.step = step;
    if (sn_set_scene(m->spec, &scene) || sn_set_model(m->spec, &model)) return mjcf_no_memory(m);
    sn_spec_set_origin(m->spec, SN_ELEMENT_SCENE, mjcf_origin(m, m->root));
    sn_spec_set_origin(m->spec, SN_ELEMENT_MODEL, mjcf_origin(m, m->root));
    return SN_OK;
}

/* Sections that nothing here comes from, with what that means. */
static snStatus say_sections(snMjcf *m)
{
    static const struct {
        const char *tag, *effect;
    } left_out[] = {{"contact", "contact is left out: bodies pass through each other"},
                    {"keyframe", "keyframes are left out: the model rests in its reference pose"},
                    {"deformable", "deformable objects are left out"},
                    {"extension", "plug-ins are left out"}};
    snStatus status = SN_OK;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out && !status; ++i) {
        const snXmlNode *s = mjcf_section(m, left_out[i].tag, NULL);
        if (s && s->child) status = mjcf_miss(m, s, "%s", left_out[i].effect);
    }
    return status;
}

static snStatus read_model(snMjcf *m)
{
    snStatus status = SN_OK;
    for (const snXmlNode *c = NULL; !status && (c = mjcf_section(m, "compiler", c));) status = read_compiler(m, c);
    if (!status) status = write_root(m);
    if (!status) status = mjcf_read_bodies(m);
    if (!status) status = mjcf_read_masses(m);
    if (!status) status = mjcf_write_scene(m);
    if (!status) status = mjcf_write_coordinates(m);
    if (!status) status = mjcf_write_muscles(m);
    return status ? status : say_sections(m);
}

snStatus sn_mjcf_read(snSpec *spec, const char *name, const char *bytes, size_t size, snError *error)
{
    snArena arena = {0};
    snError own;
    snMjcf m = {.spec = spec,
                .file = sn_spec_text(spec, name),
                .arena = &arena,
                .degree = SN_DEG,
                .eulerseq = "xyz",
                .meshdir = "",
                .error = error ? error : &own};
    snStatus status = m.file ? sn_xml_tree(name, bytes, size, &arena, &m.root, m.error) : mjcf_no_memory(&m);
    if (!status && !name_file(&m, m.root, m.file)) status = mjcf_no_memory(&m);
    if (!status && strcmp(m.root->tag, "mujoco") != 0)
        status =
            mjcf_fail(&m, m.root, "a model of MuJoCo begins with mujoco", "the root element is %.60s", m.root->tag);
    if (!status) status = expand(&m, (snXmlNode *)(uintptr_t)m.root);
    if (!status) status = read_model(&m);
    sn_array_free(&m.body);
    sn_array_free(&m.joint);
    sn_array_free(&m.site);
    sn_array_free(&m.geom);
    sn_arena_free(&arena);
    return status;
}

snStatus sn_mjcf_load(snSpec *spec, const char *path, snError *error)
{
    char *bytes = NULL;
    size_t size = 0;
    snStatus status = sn_file_read_reference(path, SN_FILE_LIMIT, &bytes, &size, error);
    if (status) return status;
    status = sn_mjcf_read(spec, path, bytes, size, error);
    sn_free(bytes);
    return status;
}
