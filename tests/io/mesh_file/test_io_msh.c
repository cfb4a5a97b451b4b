/*
 * Meshes from Gmsh: both versions, groups and sets, and files that are wrong: the message names the line.
 */
#include "fem/part/part.h"
#include "support/support.h"

static char *text_of(const char *path, size_t *size) {
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        exit(1);
    char *text = calloc(1, 1 << 20);
    *size = fread(text, 1, (1 << 20) - 1, in);
    fclose(in);
    return text;
}

static const char seeds[] = CAIRN_SOURCE_DIR "/tests/fuzz/corpus/fuzz_msh/";

static cairn_fem_mesh *read(cairn_context *c, const char *name, double scale) {
    char path[512];
    cairn_fem_mesh *mesh = NULL;
    snprintf(path, sizeof path, "%s%s", seeds, name);
    if (cairn_fem_mesh_read(c, path, scale, &mesh) != CAIRN_OK)
        printf("%s\n", cairn_error_message(c));
    return mesh;
}

TEST(both_versions_give_the_same_mesh) {
    cairn_context *c = plain_context(1);
    const char *names[] = {"two.msh2", "two.msh4"};
    for (int version = 0; version < 2; version++) {
        cairn_fem_mesh *mesh = read(c, names[version], 2.0);
        CHECK(mesh != NULL);
        if (mesh == NULL)
            continue;
        cairn_fem_mesh_view v = cairn_fem_mesh_get(mesh);
        CHECK(v.nodes == 5 && v.elements == 2 && v.faces == 6);
        CHECK(v.group[0] == 1 && v.group[1] == 0); /* physical 4 and 1 */
        int left = -1, rubber = -1;
        for (int s = 0; s < v.sets; s++) {
            left = strcmp(v.set_name[s], "left end") == 0 ? s : left;
            rubber = strcmp(v.set_name[s], "rubber") == 0 ? s : rubber;
        }
        CHECK(v.sets == 3 && left >= 0 && rubber >= 0);
        CHECK(v.set_start[left + 1] - v.set_start[left] == 3);
        CHECK(v.set_start[rubber + 1] - v.set_start[rubber] == 4);
        for (int p = v.set_start[left]; p < v.set_start[left + 1]; p++)
            CHECK(v.node[v.set_node[p]].x == 0.0);
        double furthest = 0.0;
        for (int i = 0; i < v.nodes; i++)
            furthest = fmax(furthest, v.node[i].y);
        CHECK(furthest == 2.0);
        if (version == 1) { /* without a name */
            bool found = false;
            for (int s = 0; s < v.sets; s++)
                found = found || strcmp(v.set_name[s], "volume 1") == 0;
            CHECK(found);
        }
        cairn_fem_mesh_release(mesh);
    }
    cairn_context_destroy(c);
}

TEST(lines_become_beams) {
    cairn_context *c = plain_context(1);
    cairn_fem_mesh *mesh = read(c, "line.msh", 1.0);
    CHECK(mesh != NULL);
    cairn_fem_mesh_view v = cairn_fem_mesh_get(mesh);
    CHECK(v.elements == 2 && v.kind[0] == CAIRN_ELEMENT_BEAM2 && v.vectors == 6);
    CHECK(v.sets == 2);
    cairn_fem_mesh_release(mesh);
    cairn_context_destroy(c);
}

/* Of a tetrahedron with ten nodes the middles must land on the right edges: its volume and mass say so. */
TEST(ten_nodes_in_the_order_of_gmsh) {
    cairn_context *c = plain_context(1);
    const char *text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n"
                       "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                       "5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n$EndNodes\n"
                       "$Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
    cairn_fem_mesh *mesh = NULL;
    cairn_status status = cairn_fem_mesh_parse(c, text, strlen(text), "ten", 1.0, &mesh);
    CHECK(status == CAIRN_OK);
    if (status != CAIRN_OK) {
        printf("%s\n", cairn_error_message(c));
        cairn_context_destroy(c);
        return;
    }
    cairn_fem_mesh_view v = cairn_fem_mesh_get(mesh);
    CHECK(v.faces == 16);
    const int ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int t = 0; t < 6; t++) {
        cairn_vec3 half = cairn_vec3_scale(0.5,
                                           cairn_vec3_add(v.node[v.corner[ends[t][0]]], v.node[v.corner[ends[t][1]]]));
        CHECK(cairn_vec3_length(cairn_vec3_sub(half, v.node[v.corner[4 + t]])) == 0.0);
    }
    cairn_fem_mesh_release(mesh);
    cairn_context_destroy(c);
}

/* The seed with the first occurrence of one text changed into another. */
static void expect(cairn_context *c, const char *seed, const char *from, const char *to, const char *says) {
    char path[512], changed[4096];
    size_t size = 0;
    snprintf(path, sizeof path, "%s%s", seeds, seed);
    char *text = text_of(path, &size), *at = strstr(text, from);
    cairn_fem_mesh *mesh = NULL;
    CHECK(at != NULL);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    cairn_status status = cairn_fem_mesh_parse(c, changed, strlen(changed), "bad.msh", 1.0, &mesh);
    CHECK(status == CAIRN_ERROR_PARSE || status == CAIRN_ERROR_UNSUPPORTED);
    CHECK(mesh == NULL);
    CHECK_CONTAINS(cairn_error_message(c), says);
    CHECK_CONTAINS(cairn_error_message(c), "bad.msh");
    cairn_fem_mesh_release(mesh);
    free(text);
}

TEST(wrong_files_are_named_by_line) {
    cairn_context *c = plain_context(1);
    const char *two = "two.msh2";
    expect(c, two, "2.2 0 8", "2.1 0 8", "line 2: Gmsh format 2.1");
    expect(c, two, "2.2 0 8", "2.2 1 8", "line 2: a binary Gmsh file; only text is read. Save it as text: gmsh -0");
    expect(c, two, "12 0 1 0", "12 0 nan 0", "line 14: place of a node: found nan");
    expect(c, two, "12 0 1 0", "11 0 1 0", "two nodes 11");
    expect(c, two, "4 4 2 1 2 10 12 11 20", "4 4 2 1 2 10 12 11 77", "line 24: element 4 has node 77");
    expect(c, two, "4 4 2 1 2 10 12 11 20", "4 4 2 1 2 10 11 12 20",
           "line 24: element 4 (tet4, nodes 10 11 12 20) is inverted");
    expect(c, two, "20 0 0 -1", "20 0.3 0.3 0", "is flat");
    expect(c, two, "4 4 2 1 2 10 12 11 20", "4 4 2 1 2 10 11 12 13",
           "line 24: element 4 (tet4, nodes 10 11 12 13): element 3 has the same nodes");
    expect(c, two, "4 4 2 1 2 10 12 11 20", "4 6 2 1 2 10 12 11 20 13 99",
           "line 24: a 6-node prism (element type 6 of Gmsh)");
    expect(c, two, "4 4 2 1 2 10 12 11 20", "4 93 2 1 2 10 12 11 20", "line 24: element type 93 of Gmsh is not known");
    expect(c, two, "\n6\n", "\n600000\n", "600000 values announced");
    expect(c, two, "\n6\n", "\n-6\n", "line 11: number of nodes: found -6");
    expect(c, two, "$EndElements", "", "expected $EndElements");
    expect(c, two, "10 12 11 20\n$EndElements\n", "10 12", "found the end of the file");
    expect(c, two, "\"left end\"", "\"left end", "name of a physical group");
    expect(c, two, "$Nodes", "$Notes", "has no end");
    expect(c, two, "$MeshFormat", "solid x", "expected $MeshFormat");
    expect(c, "two.msh4", "2 5 10 20", "2 6 10 20", "6 nodes announced, 5 are there");
    expect(c, "two.msh4", "3 2 4 1\n3 10 12 11 20", "3 2 4 0", "3 elements announced, 2 are there");
    expect(c, "line.msh", "3 1 2 6 1 2 3", "3 8 2 6 1 2 3 1", "3-node line");
    expect(c, "line.msh", "3 1 2 6 1 2 3", "3 2 2 6 1 1 2 3", "no volumes");
    cairn_fem_mesh *mesh = NULL;
    CHECK(cairn_fem_mesh_read(c, "/no/such.msh", 1.0, &mesh) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(c), "/no/such.msh: cannot be opened");
    CHECK(cairn_fem_mesh_parse(c, "", 0, "empty", 1.0, &mesh) == CAIRN_ERROR_PARSE);
    CHECK(cairn_fem_mesh_parse(c, "", 0, "empty", -1.0, &mesh) == CAIRN_ERROR_ARGUMENT);
    cairn_context_destroy(c);
}

/* Cut anywhere, the file is refused or gives a mesh; no memory is lost, also when it runs out. */
TEST(cut_files_and_little_memory) {
    for (int which = 0; which < 2; which++) {
        char path[512];
        size_t size = 0;
        snprintf(path, sizeof path, "%s%s", seeds, which ? "two.msh4" : "two.msh2");
        char *text = text_of(path, &size);
        counting_allocator a = {.fail_at = -1};
        cairn_context *c = counting_context(&a, 1);
        int base = a.live;
        for (size_t cut = 0; cut <= size; cut++) {
            cairn_fem_mesh *mesh = NULL;
            cairn_status status = cairn_fem_mesh_parse(c, text, cut, "cut", 1.0, &mesh);
            CHECK((status == CAIRN_OK) == (mesh != NULL));
            CHECK((status == CAIRN_OK) == (cut + 1 >= size));
            cairn_fem_mesh_release(mesh);
            CHECK(a.live == base);
        }
        cairn_status status = CAIRN_ERROR_MEMORY;
        for (int fail = 0; fail < 300 && status != CAIRN_OK; fail++) {
            cairn_fem_mesh *mesh = NULL;
            a.fail_at = a.allocations + fail;
            status = cairn_fem_mesh_parse(c, text, size, "memory", 1.0, &mesh);
            CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            cairn_fem_mesh_release(mesh);
            CHECK(a.live == base);
        }
        CHECK(status == CAIRN_OK);
        cairn_context_destroy(c);
        free(text);
    }
}

int main(void) {
    RUN(both_versions_give_the_same_mesh);
    RUN(lines_become_beams);
    RUN(ten_nodes_in_the_order_of_gmsh);
    RUN(wrong_files_are_named_by_line);
    RUN(cut_files_and_little_memory);
    return test_end();
}
