/*
 * test_io_surface.c: OBJ and STL files: what is read, and the messages for what cannot be.
 */
#include "io/mesh_file/surface_file.h"
#include "support/support.h"

#include <unistd.h>

static const char cube_obj[] =
    "# a cube of edge 2\n"
    "mtllib none.mtl\n"
    "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\n"
    "v -1 -1 1 0.5 0.5 0.5\nv 1 -1 1\nv 1 1 1\nv -1 1 1\r\n"
    "vt 0 0\nvn 0 0 1\no bottom\ns off\n"
    "f 4 3 2 1\n"
    "g sides\nusemtl red\n"
    "f 1/1 2/1 6/1 5/1\nf 2//1 3//1 7//1 6//1\nf -6/1/1 -5/1/1 -1/1/1 \\\n -2/1/1\nf 4 1 5 8 # last side\n"
    "o top\nf 5 6 7 8\n";

static cairn_status parse(cairn_context *context, const void *bytes, size_t size, cairn_surface *s) {
    *s = (cairn_surface){0};
    return cairn_surface_parse(context, bytes, size, "x.obj", 1.0, s);
}

static double volume_of(cairn_context *context, const cairn_surface *s) {
    cairn_shape *shape = NULL;
    cairn_mass mass = {0};
    CHECK(cairn_shape_mesh(context, s->points, s->point, s->triangles, s->corner, &shape) == CAIRN_OK);
    if (shape == NULL)
        return NAN;
    CHECK(cairn_shape_closed(shape));
    CHECK(cairn_shape_mass(shape, 1.0, &mass) == CAIRN_OK);
    cairn_shape_release(shape);
    return mass.mass;
}

TEST(obj_with_all_it_may_have) {
    cairn_context *context = plain_context(1);
    cairn_surface s;
    CHECK(cairn_surface_parse(context, cube_obj, sizeof cube_obj - 1, "cube", 0.5, &s) == CAIRN_OK);
    CHECK(s.points == 8 && s.triangles == 12 && s.groups == 3);
    CHECK(s.group[0] == 0 && s.group[2] == 1 && s.group[11] == 2);
    CHECK_NEAR(volume_of(context, &s), 1.0, 1e-14);
    cairn_surface_clear(context, &s);
    cairn_context_destroy(context);
}

/* A polygon in the shape of the letter L, and a star that crosses itself. */
TEST(polygons_that_are_not_convex) {
    cairn_context *context = plain_context(1);
    cairn_surface s;
    static const char letter[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n";
    CHECK(parse(context, letter, sizeof letter - 1, &s) == CAIRN_OK);
    CHECK(s.triangles == 4);
    double sum = 0.0;
    for (int i = 0; i < s.triangles; i++) {
        const int *c = s.corner + 3 * i;
        cairn_vec3 a = cairn_vec3_cross(cairn_vec3_sub(s.point[c[1]], s.point[c[0]]),
                                        cairn_vec3_sub(s.point[c[2]], s.point[c[0]]));
        CHECK(a.z > 0.0); /* no triangle is folded over */
        sum += 0.5 * a.z;
    }
    CHECK_NEAR(sum, 3.0, 1e-14);
    cairn_surface_clear(context, &s);
    static const char star[] = "v 0 3 0\nv 2 -3 0\nv -3 1 0\nv 3 1 0\nv -2 -3 0\nf 1 2 3 4 5\n";
    CHECK(parse(context, star, sizeof star - 1, &s) == CAIRN_OK && s.triangles == 3);
    cairn_surface_clear(context, &s);
    cairn_context_destroy(context);
}

/* A tetrahedron as STL, text and binary. */
static size_t make_stl(char *out, bool binary) {
    static const float p[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int f[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    if (binary) {
        memset(out, 0, 84 + 4 * 50);
        memcpy(out, "solid in name only", 18);
        out[80] = 4;
        for (int i = 0; i < 12; i++)
            memcpy(out + 84 + 50 * (i / 3) + 12 + 12 * (i % 3), p[f[i / 3][i % 3]], 12);
        return 84 + 4 * 50;
    }
    size_t used = (size_t)sprintf(out, "solid a name of words\n");
    for (int i = 0; i < 4; i++) {
        used += (size_t)sprintf(out + used, "facet normal nan 0 0\n outer loop\n");
        for (int k = 0; k < 3; k++)
            used += (size_t)sprintf(out + used, "  vertex %g %g %ge0\n", (double)p[f[i][k]][0], (double)p[f[i][k]][1],
                                    (double)p[f[i][k]][2]);
        used += (size_t)sprintf(out + used, " endloop\nendfacet\n%s", i == 1 ? "endsolid a\nsolid b\n" : "");
    }
    return used + (size_t)sprintf(out + used, "endsolid b\n");
}

TEST(stl_text_and_binary) {
    static char text[4096];
    cairn_context *context = plain_context(1);
    for (int binary = 0; binary < 2; binary++) {
        cairn_surface s;
        size_t size = make_stl(text, binary != 0);
        CHECK(parse(context, text, size, &s) == CAIRN_OK);
        CHECK(s.triangles == 4 && s.groups == (binary ? 1 : 2));
        CHECK_NEAR(volume_of(context, &s), 1.0 / 6.0, 1e-12);
        cairn_surface_clear(context, &s);
        FILE *out = fopen("surface_test.stl", "wb");
        CHECK(out != NULL && fwrite(text, 1, size, out) == size);
        fclose(out);
        CHECK(cairn_surface_read(context, "surface_test.stl", 1000.0, &s) == CAIRN_OK);
        CHECK(s.triangles == 4);
        CHECK_NEAR(volume_of(context, &s), 1e9 / 6.0, 1e-3);
        cairn_surface_clear(context, &s);
    }
    unlink("surface_test.stl");
    cairn_surface s;
    CHECK(cairn_surface_read(context, "surface_test.stl", 1.0, &s) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(context), "surface_test.stl: cannot be opened");
    CHECK(cairn_surface_parse(context, text, 4, "x", 0.0, &s) == CAIRN_ERROR_ARGUMENT);
    cairn_context_destroy(context);
}

TEST(what_cannot_be_read) {
    static const struct {
        const char *text, *message;
        size_t size; /* 0: of the text */
    } bad[] = {
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "x.obj: this is a PNG picture; expected a surface of triangles in OBJ or STL",
         16},
        {"\xFF\xD8\xFF\xE0", "this is a JPEG picture", 0},
        {"{\"asset\": 1}", "this is a JSON file", 0},
        {"ply\nformat ascii 1.0\n", "this is a PLY model", 0},
        {"v 0 0 0\n\0",
         "x.obj: neither text (byte 8 is 0) nor a binary STL, which has at least 84 bytes; this file has 9", 9},
        {" ", "x.obj: the file has 0 points (v) and no face (f)", 0},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "x.obj: the file has 3 points (v) and no face (f)", 0},
        {"v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n",
         "x.obj: line 3: the y of a point: found nan, expected a finite number", 0},
        {"v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", "x.obj: line 2: a point of 2 numbers; expected v x y z", 0},
        {"v 0 0 0\nv 1 0 1e999\nf 1 2 2\n", "x.obj: line 2: the z of a point: found 1e999, expected a finite number",
         0},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "x.obj: line 4: the face names point 4, but there are 3 so far", 0},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "x.obj: line 4: the face names point -4, but there are 3 so far", 0},
        {"v 0 0 0\nf 0 1 1\n", "line 2: expected the number of a point as in 7, 7/1 or -1, found '0'", 0},
        {"v 0 0 0\nf 1 1\n", "line 2: a face of 2 corners; at least 3 are needed", 0},
        {"v 0 0 0\nf a b c\n", "line 2: expected the number of a point as in 7, 7/1 or -1, found 'a'", 0},
        {"v 0 0 0\ncurv 0 1 1 1\n", "line 2: 'curv': free-form curves and surfaces are not read", 0},
        {"Dear Sir\n", "x.obj: line 1: 'Dear' is no word of an OBJ file; expected v, f, o, g", 0},
        {"solid x\nendsolid x\n", "x.obj: an STL file without a triangle", 0},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0\n",
         "x.obj: line 6: z: found the end of the file", 0},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex inf 0 0\n",
         "x.obj: line 5: x: found inf, expected a finite number", 0},
        {"solid x\nfacet normal 0 0 1\nvertex", "x.obj: line 3: found vertex, expected outer", 0},
        {"solid x\nfacets", "x.obj: line 2: expected 'facet' or 'endsolid', found facets", 0},
        {"solid x\n", "x.obj: line 2: expected 'facet' or 'endsolid', found the end of the file", 0},
    };
    cairn_context *context = plain_context(1);
    cairn_surface s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t size = bad[i].size != 0 ? bad[i].size : strlen(bad[i].text);
        CHECK(parse(context, bad[i].text, size, &s) == CAIRN_ERROR_PARSE && s.point == NULL);
        CHECK_CONTAINS(cairn_error_message(context), bad[i].message);
    }
    CHECK(parse(context, "", 0, &s) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "x.obj: the file is empty");
    static char stl[4096];
    size_t size = make_stl(stl, true);
    CHECK(parse(context, stl, size - 7, &s) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context),
                   "nor a binary STL: one of 4 triangles, as bytes 80 to 83 say, has 284 bytes, this file has 277");
    stl[84 + 50 + 24 + 3] = 0x7F; /* a NaN: 0x7FC00000 */
    stl[84 + 50 + 24 + 2] = (char)0xC0;
    CHECK(parse(context, stl, size, &s) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "x.obj: byte 158: corner 2 of triangle 2 is not finite");
    size = make_stl(stl, true);
    stl[80] = 0;
    CHECK(parse(context, stl, 84, &s) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "a binary STL file without a triangle");
    cairn_context_destroy(context);
}

TEST(memory_may_fail) {
    static char stl[4096];
    for (int kind = 0; kind < 3; kind++) {
        size_t size = kind < 2 ? make_stl(stl, kind == 1) : sizeof cube_obj - 1;
        for (int fail = 0; fail < 100; fail++) {
            counting_allocator a = {.fail_at = fail};
            cairn_context *context = counting_context(&a, 1);
            if (context == NULL)
                continue;
            cairn_surface s;
            cairn_status status = parse(context, kind < 2 ? stl : cube_obj, size, &s);
            CHECK(status == CAIRN_OK || (status == CAIRN_ERROR_MEMORY && s.point == NULL));
            cairn_surface_clear(context, &s);
            cairn_context_destroy(context);
            CHECK(a.live == 0);
            if (status == CAIRN_OK)
                break;
        }
    }
}

int main(void) {
    RUN(obj_with_all_it_may_have);
    RUN(polygons_that_are_not_convex);
    RUN(stl_text_and_binary);
    RUN(what_cannot_be_read);
    RUN(memory_may_fail);
    return test_end();
}
