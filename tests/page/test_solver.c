/* The simulation inside a page: the packed model, and the slots that a page has for it. */
#include "check.h"
#include "page/whole_file.h"

#include "page/own/studio.h"
#include "page/solver.h"
#include "scenes.h"
#include "sinew/sinew.h"

#include <string.h>
#include <unistd.h>

/* The tar archive that a page gets, read by the rules of the format: names, sizes, checksums, blocks. */
static void test_packed_model(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("pulley");
    snBytes tar = {0};
    snError error = {0};
    assert_int_equal(sn_pack_model(spec, &tar, &error), SN_OK);
    assert_int_equal(tar.size % 512, 0);
    int muscle = 0, scene = 0;
    for (size_t at = 0; tar.at[at];) {
        char *head = tar.at + at, sum_text[9] = {0};
        unsigned sum = 8 * ' ';
        assert_true(at + 512 <= tar.size);
        memcpy(sum_text, head + 148, 8);
        for (int i = 0; i < 512; ++i)
            if (i < 148 || i >= 156) sum += (unsigned char)head[i];
        assert_int_equal(strtoul(sum_text, NULL, 8), sum);
        size_t size = strtoul(head + 124, NULL, 8);
        muscle += strcmp(head, "model/model.muscle.xml") == 0 && strstr(head + 512, "<Muscle");
        scene += strstr(head, ".scene.xml") && strstr(head + 512, "<ModelerScene");
        at += 512 + (size + 511) / 512 * 512;
    }
    assert_int_equal(muscle, 1);
    assert_int_equal(scene, 1);
    sn_bytes_free(&tar);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_int_equal(sn_pack_model(spec, &tar, &error), SN_WRITE_FAILED);
    unsetenv("TMPDIR");
    sn_bytes_free(&tar);
    sn_spec_destroy(spec);
}

#define SLOT_OF(id) "<script id=\"" id "\" type=\"application/octet-stream\"></script>"

static void test_page_with_solver(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew-solver-XXXXXX", page[64], wasm[64], out[64];
    assert_non_null(mkdtemp(folder));
    snprintf(page, sizeof page, "%s/page.html", folder);
    snprintf(wasm, sizeof wasm, "%s/x.wasm", folder);
    snprintf(out, sizeof out, "%s/out.html", folder);
    snStudioDef def = sn_default_studio_def();
    snSpec *spec = sn_scene("pulley");
    snError error = {0};
    def.spec = spec, def.solver = def.live = true;
    setenv("SINEW_PAGE", page, 1);
    setenv("SINEW_WASM", wasm, 1);
    write_all(page, SLOT_OF("sinew-data") "<p>after</p>");
    assert_int_equal(sn_save_html(&def, out, &error), SN_NO_FILE); /* no module */
    write_all(wasm, "a module");
    assert_int_equal(sn_save_html(&def, out, &error), SN_BAD_FILE); /* a page without slots for it */
    assert_int_equal(access(out, F_OK), -1);
    write_all(page, SLOT_OF("sinew-data") SLOT_OF("sinew-core") SLOT_OF("sinew-model") "<p>after</p>");
    assert_int_equal(sn_save_html(&def, out, &error), SN_OK);
    char *text = read_all(out);
    const char *at = text;
    for (int slots = 0; slots < 3; ++slots, ++at) assert_non_null(at = strstr(at, "octet-stream\">H4sI"));
    assert_non_null(strstr(at, "</script><p>after</p>"));
    free(text);
    unsetenv("SINEW_PAGE");
    unsetenv("SINEW_WASM");
    unlink(out), unlink(page), unlink(wasm);
    rmdir(folder);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packed_model), cmocka_unit_test(test_page_with_solver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
