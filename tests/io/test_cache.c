#include "io_case.h"

#include "io/file.h"
#include "io/own/point_cache.h"

enum { NPOINT = 700, FRAMES = 9 };

static void frame_points(int frame, double *point)
{
    for (int i = 0; i < 3 * NPOINT; ++i) point[i] = sin(frame + 0.01 * i) * (i % 5 ? 1 : -3);
}

static uint32_t word_at(const unsigned char *b, bool big)
{
    return big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
               : b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const unsigned char *b, bool big)
{
    uint32_t bits = word_at(b, big);
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* Writes `written` frames into a cache that was promised `promised`, and checks every byte of it. */
static void check_file(snCacheFormat format, int promised, int written)
{
    const char *path = format == SN_CACHE_PC2 ? "io_cache.pc2" : "io_cache.mdd";
    bool big = format == SN_CACHE_MDD;
    snCacheDef def = sn_default_cache_def();
    snCacheWriter *writer = NULL;
    snError error;
    double point[3 * NPOINT];
    def.format = format, def.npoint = NPOINT, def.frames = promised, def.rate = 30;
    assert_ok(sn_cache_create(&def, path, &writer, &error), error);
    for (int f = 0; f < written; ++f) {
        frame_points(f, point);
        assert_ok(sn_cache_append(writer, point, &error), error);
    }
    assert_ok(sn_cache_finish(writer, &error), error);

    char *data;
    size_t size, head = big ? 8 + 4 * (size_t)written : 32;
    assert_ok(sn_file_read(path, SN_FILE_LIMIT, &data, &size, &error), error);
    const unsigned char *b = (const unsigned char *)data;
    assert_int_equal(size, head + 12 * (size_t)NPOINT * (size_t)written);
    if (big) {
        assert_int_equal(word_at(b, true), written);
        assert_int_equal(word_at(b + 4, true), NPOINT);
        for (int f = 0; f < written; ++f) assert_near(float_at(b + 8 + 4 * f, true), f / 30.0, 1e-7);
    } else {
        assert_memory_equal(b, "POINTCACHE2", 12);
        assert_int_equal(word_at(b + 12, false), 1);
        assert_int_equal(word_at(b + 16, false), NPOINT);
        assert_near(float_at(b + 20, false), 1, 0);
        assert_near(float_at(b + 24, false), 1, 0);
        assert_int_equal(word_at(b + 28, false), written);
    }
    for (int f = 0; f < written; ++f) {
        frame_points(f, point);
        for (int i = 0; i < 3 * NPOINT; ++i)
            assert_near(float_at(b + head + 4 * (size_t)(f * 3 * NPOINT + i), big), point[i], 3e-7);
    }
    sn_free(data);
    unlink(path);
}

static void caches_hold_what_was_written(void **state)
{
    (void)state;
    check_file(SN_CACHE_PC2, FRAMES, FRAMES);
    check_file(SN_CACHE_PC2, 0, FRAMES);
    check_file(SN_CACHE_PC2, FRAMES, 4);
    check_file(SN_CACHE_MDD, FRAMES, FRAMES);
    check_file(SN_CACHE_MDD, FRAMES, 4);
    check_file(SN_CACHE_MDD, 3000, 1);
}

static void obj_sequence(void **state)
{
    (void)state;
    static const int32_t triangle[] = {0, 1, 2};
    snCacheDef def = {
        .size = sizeof def, .format = SN_CACHE_OBJ, .npoint = 3, .start = 7, .ntriangle = 1, .triangle = triangle};
    snCacheWriter *writer = NULL;
    snError error;
    assert_ok(sn_cache_create(&def, "io_sequence.obj", &writer, &error), error);
    for (int f = 0; f < 2; ++f) {
        double point[] = {0, 0, f, 1, 0, 0, 0, 1, 0};
        assert_ok(sn_cache_append(writer, point, &error), error);
    }
    assert_ok(sn_cache_finish(writer, &error), error);
    snMesh mesh;
    assert_ok(sn_load_mesh("io_sequence.0008.obj", &mesh, &error), error);
    assert_near(mesh.vertex[2], 1, 0);
    sn_mesh_free(&mesh);
    unlink("io_sequence.0007.obj");
    unlink("io_sequence.0008.obj");
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    snCacheDef def = sn_default_cache_def();
    snCacheWriter *writer = NULL;
    snError error;
    assert_int_equal(sn_cache_create(&def, "io_none.pc2", &writer, &error), SN_BAD_INPUT);
    def.npoint = 1, def.format = SN_CACHE_MDD;
    assert_int_equal(sn_cache_create(&def, "io_none.mdd", &writer, &error), SN_BAD_INPUT);
    def.format = SN_CACHE_PC2, def.frames = 1;
    assert_ok(sn_cache_create(&def, "io_none.pc2", &writer, &error), error);
    double bad[] = {0, NAN, 0}, good[] = {0, 0, 0};
    assert_int_equal(sn_cache_append(writer, bad, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "point 1 of frame 1 is not finite");
    assert_ok(sn_cache_append(writer, good, &error), error);
    assert_int_equal(sn_cache_append(writer, good, &error), SN_BAD_INPUT);
    sn_cache_abandon(writer);
    assert_ok(sn_cache_create(&def, "io_none.pc2", &writer, &error), error);
    assert_int_equal(sn_cache_finish(writer, &error), SN_FAILED);
    assert_int_equal(access("io_none.pc2", F_OK), -1);
    assert_int_equal(sn_cache_create(&def, "no_such_folder/a.pc2", &writer, &error), SN_WRITE_FAILED);
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* All frames of a file, one after the other. */
static snStatus read_all(const char *path, snError *error)
{
    snCacheReader *reader = NULL;
    snStatus status = sn_cache_open(path, &reader, error);
    float *point = status == SN_OK ? malloc(12 * (size_t)sn_cache_def(reader)->npoint + 1) : NULL;
    for (int32_t f = 0; status == SN_OK && f < sn_cache_def(reader)->frames; ++f)
        status = sn_cache_next(reader, point, error);
    free(point);
    sn_cache_close(reader);
    return status;
}

static void a_cache_is_read_as_written(void **state)
{
    (void)state;
    snCacheDef def = sn_default_cache_def();
    snCacheWriter *writer = NULL;
    snCacheReader *reader = NULL;
    float read[3 * NPOINT];
    snError error = {0};
    double point[3 * NPOINT];
    def.npoint = NPOINT, def.frames = FRAMES;
    assert_ok(sn_cache_create(&def, "io_cache.pc2", &writer, &error), error);
    for (int f = 0; f < FRAMES; ++f) {
        frame_points(f, point);
        assert_ok(sn_cache_append(writer, point, &error), error);
    }
    assert_ok(sn_cache_finish(writer, &error), error);
    assert_ok(sn_cache_open("io_cache.pc2", &reader, &error), error);
    assert_int_equal(sn_cache_def(reader)->npoint, NPOINT);
    assert_int_equal(sn_cache_def(reader)->frames, FRAMES);
    assert_near(sn_cache_def(reader)->start, 1, 0);
    for (int f = 0; f < FRAMES; ++f) {
        frame_points(f, point);
        assert_ok(sn_cache_next(reader, read, &error), error);
        for (int i = 0; i < 3 * NPOINT; ++i) assert_true(read[i] == (float)point[i]);
    }
    assert_int_equal(sn_cache_next(reader, read, &error), SN_BAD_FILE);
    sn_cache_close(reader);

    char *data;
    size_t size;
    assert_ok(sn_file_read("io_cache.pc2", SN_FILE_LIMIT, &data, &size, &error), error);
    for (size_t cut = 0; cut < size; cut += cut < 40 ? 7 : 5000) { /* any part of it is refused */
        write_bytes("io_part.pc2", data, cut);
        assert_int_equal(read_all("io_part.pc2", &error), SN_BAD_FILE);
        assert_non_null(strstr(error.file, "io_part.pc2"));
    }
    memset(data + 32 + 12 * (NPOINT + 5), 0xff, 4); /* a NaN */
    write_bytes("io_part.pc2", data, size);
    assert_int_equal(read_all("io_part.pc2", &error), SN_BAD_FILE);
    assert_non_null(strstr(error.message, "point 5 of frame 1"));
    memset(data + 16, 0x7f, 4), memset(data + 28, 0x7f, 4); /* more points than there are bytes in the world */
    write_bytes("io_part.pc2", data, size);
    assert_int_equal(read_all("io_part.pc2", &error), SN_BAD_FILE);
    assert_int_equal(read_all("nowhere.pc2", &error), SN_NO_FILE);
    sn_free(data);
    (void)remove("io_cache.pc2");
    (void)remove("io_part.pc2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_hold_what_was_written),
        cmocka_unit_test(obj_sequence),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(a_cache_is_read_as_written),
    };
    return cmocka_run_group_tests_name("io.cache", tests, NULL, NULL);
}
