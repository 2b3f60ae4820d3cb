/* docs/reference.md is what the tables give. */
#include "check.h"
#include "model/reference.h"
#include "model/schema.h"

#include <stdlib.h>
#include <string.h>

typedef struct Text {
    char bytes[200000];
    size_t size;
} Text;

static void emit(void *user, const char *text)
{
    Text *t = user;
    size_t n = strlen(text);
    assert_true(t->size + n < sizeof t->bytes);
    memcpy(t->bytes + t->size, text, n + 1);
    t->size += n;
}

static void test_page_is_fresh(void **state)
{
    (void)state;
    Text *made = calloc(1, sizeof *made), *page = calloc(1, sizeof *page);
    assert_true(made && page);
    sn_reference_write(emit, made);
    FILE *file = fopen(SINEW_SOURCE_DIR "/docs/reference.md", "rb");
    assert_non_null(file);
    page->size = fread(page->bytes, 1, sizeof page->bytes - 1, file);
    fclose(file);
    if (strcmp(made->bytes, page->bytes) != 0) fail_msg("docs/reference.md is out of date: run make docs");
    free(made);
    free(page);
}

static void test_page_has_every_attribute(void **state)
{
    (void)state;
    Text *made = calloc(1, sizeof *made);
    assert_non_null(made);
    sn_reference_write(emit, made);
    for (int e = 0; e < SN_ELEMENT_COUNT; ++e)
        for (int i = 0; i < sn_element(e)->nattr; ++i) {
            char cell[80];
            const snAttr *attr = &sn_element(e)->attr[i];
            snprintf(cell, sizeof cell, attr->flags & SN_ATTR_CHILD ? "| `<%s>` |" : "| `%s` |", attr->name);
            assert_non_null(strstr(made->bytes, cell));
            assert_non_null(strstr(made->bytes, attr->doc));
        }
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_is_fresh),
        cmocka_unit_test(test_page_has_every_attribute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
