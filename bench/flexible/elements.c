/*
 * elements.c: what elements are good for, as tables in Markdown: bending, material that hardly changes its volume, and how far a block can be squeezed. For docs/which-element.md.
 *
 * Statics: steps of 100 s with the linear law, which end at rest. A block is squeezed by a press at 0.1 of its height a second.
 */
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mesh_row {
    const char *element;
    int along, across;
} mesh_row;

static const mesh_row meshes[] = {{"tet4", 20, 2},  {"tet4", 40, 4}, {"tet10", 5, 1}, {"tet10", 10, 1},
                                  {"tet10", 20, 2}, {"hex8", 5, 1},  {"hex8", 10, 1}, {"hex8", 20, 2}};

static cairn_scene *open_scene(cairn_context *context, const char *text) {
    cairn_scene *scene = NULL;
    if (cairn_scene_parse(context, text, strlen(text), "bench", NULL, 0, &scene) != CAIRN_OK) {
        fprintf(stderr, "%s\n", cairn_error_message(context));
        exit(1);
    }
    return scene;
}

static void step(cairn_context *context, cairn_scene *scene, cairn_step_report *report) {
    if (cairn_scene_step(scene, report) != CAIRN_OK) {
        fprintf(stderr, "%s\n", cairn_error_message(context));
        exit(1);
    }
}

static cairn_flexible_view view_of(cairn_scene *scene) {
    cairn_flexible_view view = {0};
    cairn_body body;
    if (cairn_scene_find_body(scene, "part", &body) != CAIRN_OK ||
        cairn_world_flexible(cairn_scene_world(scene), body, &view) != CAIRN_OK)
        exit(1);
    return view;
}

/* Deflection of a cantilever of 1 m, 0.1 m wide and high, over that of a beam with shear (Cowper's coefficient). Its root stays in a plane and may grow narrower, as in the theory of beams: held downwards
 * are the nodes of its middle, or its corners where there are no others, and one node sideways. */
static double cantilever(cairn_context *context, const mesh_row *m, double nu) {
    const double E = 1e6, P = 0.01, L = 1.0, a = 0.1, I = a * a * a * a / 12.0, G = E / (2.0 * (1.0 + nu));
    double kappa = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu),
           beam = P * L * L * L / (3.0 * E * I) + P * L / (kappa * G * a * a);
    double middle = m->across > 1 || strcmp(m->element, "hex8") != 0 ? 0.0 : 1.0;
    char text[2000];
    cairn_step_report report;
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, 0], \"step\": 100, \"flexible\": [{\"name\": \"part\", \"mesh\": {\"box\": {\"edge\": "
        "[%g, %g, %g], \"cells\": [%d, %d, %d], \"element\": \"%s\"}}, \"elastic\": {\"E\": %g, \"nu\": %.6g, "
        "\"law\": \"linear\"}, \"hold\": [{\"box\": [[-0.5, -1, -1], [-0.5, 1, 1]], \"free\": \"yz\"}, {\"box\": "
        "[[-0.5, -0.05, -0.05], [-0.5, -0.05, -0.05]], \"free\": \"xz\"}, {\"box\": [[-0.5, -1, %g], [-0.5, 1, %g]], "
        "\"free\": \"xy\"}], \"load\": [{\"box\": [[0.5, "
        "-1, -1], [0.5, 1, 1]], \"force\": [0, 0, %g]}]}]}",
        L, a, a, m->along, m->across, m->across, m->element, E, nu, -middle, middle, P);
    cairn_scene *scene = open_scene(context, text);
    for (int i = 0; i < 6; i++)
        step(context, scene, &report);
    cairn_flexible_view v = view_of(scene);
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < v.mesh.nodes; i++)
        if (v.mesh.node[i].x > 0.4999) {
            sum += v.x[3 * v.mesh.vector[i] + 2] - v.mesh.node[i].z;
            count++;
        }
    cairn_scene_destroy(scene);
    return sum / count / beam;
}

/* How much of its height a block has left when the first element turns inside out; 0: none does down to a twentieth. */
static double squeezed(cairn_context *context, const char *element, const char *law) {
    char text[2000];
    cairn_step_report report = {0};
    snprintf(
        text, sizeof text,
        "{\"gravity\": [0, 0, 0], \"step\": 0.02, \"materials\": {\"default\": {\"friction\": 0.3}}, \"bodies\": "
        "[{\"name\": \"floor\", \"shape\": {\"plane\": {}}}, {\"name\": \"press\", \"kind\": \"kinematic\", "
        "\"shape\": {\"box\": {\"size\": [4, 4, 0.4]}}, \"position\": [0, 0, 1.2], \"velocity\": [0, 0, -0.1]}], "
        "\"flexible\": [{\"name\": \"part\", \"mesh\": {\"box\": {\"edge\": [1, 1, 1], \"cells\": [4, 4, 4], "
        "\"element\": \"%s\"}}, \"elastic\": {\"E\": 1e5, \"law\": \"%s\", \"damping\": 0.01}, \"position\": [0, 0, "
        "0.5]}]}",
        element, law);
    cairn_scene *scene = open_scene(context, text);
    double height = 1.0;
    while (height > 0.051 && report.inverted == 0) {
        step(context, scene, &report);
        height = 1.0 - 0.1 * report.time;
    }
    cairn_scene_destroy(scene);
    return report.inverted > 0 ? height : 0.0;
}

static void print_bending(cairn_context *context) {
    static const double nu[] = {0.3, 0.45, 0.49, 0.499, 0.4999};
    printf("== bending: deflection of a cantilever over that of a beam\n\n| element, cells | ν = 0.3 | 0.45 | 0.49 | "
           "0.499 | 0.4999 |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        printf("| %s, %d × %d × %d |", meshes[i].element, meshes[i].along, meshes[i].across, meshes[i].across);
        for (int k = 0; k < 5; k++)
            printf(" %.3f |", cantilever(context, &meshes[i], nu[k]));
        printf("\n");
    }
}

static void print_squeezing(cairn_context *context) {
    static const char *const element[] = {"tet4", "hex8", "tet10"}, *const law[] = {"corotational", "svk",
                                                                                    "neo_hookean"};
    printf("\n== squeezing: height that is left when the first element turns inside out\n\n| element | corotational | "
           "svk | neo_hookean |\n|---|---|---|---|\n");
    for (int i = 0; i < 3; i++) {
        printf("| %s |", element[i]);
        for (int k = 0; k < 3; k++) {
            double left = squeezed(context, element[i], law[k]);
            printf(left > 0.0 ? " %.2f |" : " below 0.05 |", left);
        }
        printf("\n");
    }
}

int main(void) {
    cairn_context *context = NULL;
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return 1;
    print_bending(context);
    print_squeezing(context);
    cairn_context_destroy(context);
    return 0;
}
