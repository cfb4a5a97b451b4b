/*
 * scene_material.c: materials of a scene and rules for pairs of them.
 */
#include "io/scene/scene_data.h"

#include <math.h>
#include <string.h>

static const char *const material_keys[] = {"friction", "restitution", "compliance", "adhesion", "cap", "comment"};
static const char *const pair_keys[] = {"materials", "friction", "restitution", "compliance",
                                        "adhesion",  "cap",      "comment"};

/* What the object gives, over what def holds already. */
static void read_figures(cairn_reader *r, const cairn_json *v, cairn_material_def *def) {
    def->friction = cairn_reader_number_or(r, v, "friction", CAIRN_RANGE_NOT_NEGATIVE, def->friction);
    def->restitution = cairn_reader_number_or(r, v, "restitution", CAIRN_RANGE_NOT_NEGATIVE, def->restitution);
    def->compliance = cairn_reader_number_or(r, v, "compliance", CAIRN_RANGE_NOT_NEGATIVE, def->compliance);
    def->adhesion = cairn_reader_number_or(r, v, "adhesion", CAIRN_RANGE_NOT_NEGATIVE, def->adhesion);
    def->cap = cairn_reader_number_or(r, v, "cap", CAIRN_RANGE_NOT_NEGATIVE, def->cap);
    if (r->status == CAIRN_OK && def->restitution > 1.0)
        cairn_reader_fail(r, cairn_json_member(v, "restitution"), "expected a number from 0 to 1, found %.10g",
                          def->restitution);
}

static void add_material(cairn_reader *r, const cairn_json *v) {
    for (int i = 0; i < r->materials; i++)
        if (strcmp(r->material[i].name, v->key) == 0)
            return; /* the outer file's wins */
    cairn_named_material m = {.name = v->key, .def = cairn_default_material_def()};
    if (!cairn_reader_keys(r, v, material_keys, sizeof material_keys / sizeof *material_keys))
        return;
    read_figures(r, v, &m.def);
    if (r->status != CAIRN_OK)
        return;
    cairn_status status = cairn_world_add_material(r->scene->world, &m.def, &m.material);
    if (status != CAIRN_OK)
        cairn_reader_fail_inside(r, v, status);
    else if (cairn_reader_grow(r, &r->material, r->materials, &r->material_capacity, sizeof m))
        r->material[r->materials++] = m;
}

void cairn_reader_materials(cairn_reader *r) {
    for (int d = 0; d < r->scene->documents; d++) {
        const cairn_json *all = cairn_json_member(cairn_json_root(r->scene->document[d]), "materials");
        if (all != NULL && all->kind != CAIRN_JSON_OBJECT)
            cairn_reader_fail(r, all, "expected an object {name: {\"friction\": ...}, ...}");
        for (const cairn_json *v = all != NULL ? all->first : NULL; v != NULL && r->status == CAIRN_OK; v = v->next)
            add_material(r, v);
    }
    for (int i = 0; i < r->materials; i++)
        if (strcmp(r->material[i].name, "default") == 0)
            return;
    /* Not given, but there: the world's first material. */
    if (cairn_reader_grow(r, &r->material, r->materials, &r->material_capacity, sizeof *r->material))
        r->material[r->materials++] = (cairn_named_material){
            .name = "default", .def = cairn_default_material_def(), .material = {0}};
}

const cairn_named_material *cairn_reader_material(cairn_reader *r, const cairn_json *v) {
    const char *name = cairn_reader_text(r, v), *known[64];
    int count = 0;
    if (r->status != CAIRN_OK)
        return NULL;
    for (int i = 0; i < r->materials; i++) {
        if (strcmp(r->material[i].name, name) == 0)
            return &r->material[i];
        if (count < 64)
            known[count++] = r->material[i].name;
    }
    const char *meant = cairn_nearest(name, known, count);
    if (meant != NULL)
        cairn_reader_fail(r, v, "the scene has no material '%.40s'; did you mean '%.40s'?", name, meant);
    else
        cairn_reader_fail(r, v, "the scene has no material '%.40s' in \"materials\"", name);
    return NULL;
}

/* True: this pair has its rule. That of an outer file, which is read first, wins; one file gives
 * one rule. */
static bool has_rule(cairn_reader *r, const cairn_json *v, uint32_t a, uint32_t b) {
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (int i = 0; i < r->rules; i++) {
        if (r->rule[i].low != low || r->rule[i].high != high)
            continue;
        if (r->rule[i].at->name == v->name)
            cairn_reader_fail(r, v, "line %d already has a rule for these two materials", r->rule[i].at->line);
        return true;
    }
    if (cairn_reader_grow(r, &r->rule, r->rules, &r->rule_capacity, sizeof *r->rule))
        r->rule[r->rules++] = (cairn_named_rule){low, high, v};
    return false;
}

static void add_pair(cairn_reader *r, const cairn_json *v) {
    if (!cairn_reader_keys(r, v, pair_keys, sizeof pair_keys / sizeof *pair_keys))
        return;
    const cairn_json *names = cairn_json_member(v, "materials");
    if (names == NULL) {
        cairn_reader_fail(r, v, "expected \"materials\": [name, name]");
        return;
    }
    if (!cairn_reader_list(r, names, 2, 2, "a list of two names of materials"))
        return;
    const cairn_named_material *a = cairn_reader_material(r, names->first);
    const cairn_named_material *b = a != NULL ? cairn_reader_material(r, names->first->next) : NULL;
    if (b == NULL)
        return;
    cairn_material_def def = cairn_default_material_def();
    def.friction = sqrt(a->def.friction * b->def.friction);
    def.restitution = fmax(a->def.restitution, b->def.restitution);
    def.compliance = a->def.compliance + b->def.compliance;
    def.adhesion = fmin(a->def.adhesion, b->def.adhesion);
    bool both = a->def.cap > 0.0 && b->def.cap > 0.0;
    def.cap = both ? fmin(a->def.cap, b->def.cap) : fmax(a->def.cap, b->def.cap);
    read_figures(r, v, &def);
    if (r->status == CAIRN_OK && has_rule(r, v, a->material.slot, b->material.slot))
        return;
    cairn_status status = r->status == CAIRN_OK ? cairn_world_set_pair(r->scene->world, a->material, b->material, &def)
                                                : CAIRN_OK;
    if (status != CAIRN_OK)
        cairn_reader_fail_inside(r, v, status);
}

void cairn_reader_pairs(cairn_reader *r, const cairn_json *list) {
    if (!cairn_reader_list(r, list, 0, 1 << 20, "a list of pairs {\"materials\": [a, b], ...}"))
        return;
    for (const cairn_json *v = list->first; v != NULL && r->status == CAIRN_OK; v = v->next)
        add_pair(r, v);
}
