/*
 * scene_warnings.c: what may not be meant in a scene that is right in form: bodies that overlap
 * when it begins, and bodies that nothing holds up.
 */
#include "world/flexible/flexible.h"
#include "io/scene/scene_data.h"

#define TOUCHES 1e-9 /* m: places of bodies are rounded */

/* Whether something stays where it is, so that falling has an end: a body that cannot be pushed,
 * a joint to the world, a held part. */
static bool is_held(const cairn_world *w) {
    for (int i = 1; i < w->slots; i++)
        if (w->slot[i].generation % 2 == 1 &&
            (w->slot[i].kind != CAIRN_BODY_DYNAMIC || (w->slot[i].flex != NULL && w->slot[i].flex->holds > 0)))
            return true;
    for (int i = 1; i < w->joints; i++)
        if (w->joint[i].generation % 2 == 1 && (w->joint[i].data.a == 0 || w->joint[i].data.b == 0))
            return true;
    return false;
}

static const char *name_of(const cairn_scene *s, int slot) {
    for (int i = 0; i < s->bodies.count; i++)
        if (s->bodies.id[i][0] == (uint32_t)slot)
            return s->bodies.name[i];
    return "a body";
}

static void note_overlaps(cairn_reader *r, const cairn_json *root) {
    cairn_world *w = r->scene->world;
    const cairn_touch *worst = NULL;
    double share = 1.0;
    int pairs = 0;
    for (int i = 0, a = 0, b = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        double tolerance = cairn_pair_tolerance(w, c->a, c->b);
        if (c->soft || c->compliance > 0.0 || !(-c->gap > tolerance + TOUCHES))
            continue;
        pairs += c->a != a || c->b != b;
        a = c->a;
        b = c->b;
        if (-c->gap > share * tolerance) {
            share = -c->gap / tolerance;
            worst = c;
        }
    }
    if (pairs == 1)
        cairn_reader_note(r, root, "'%.60s' and '%.60s' overlap by %.3g m at the start; the first step parts them",
                          name_of(r->scene, worst->a), name_of(r->scene, worst->b), -worst->gap);
    else if (pairs > 1)
        cairn_reader_note(
            r, root,
            "%d pairs of bodies overlap at the start, '%.60s' and '%.60s' by %.3g m; the first step parts "
            "them",
            pairs, name_of(r->scene, worst->a), name_of(r->scene, worst->b), -worst->gap);
}

void cairn_reader_doubts(cairn_reader *r) {
    cairn_world *w = r->scene->world;
    const cairn_json *root = cairn_json_root(r->scene->document[0]);
    if (r->scene->bodies.count == 0)
        return;
    if (cairn_vec3_length(w->def.gravity) > 0.0 && !is_held(w))
        cairn_reader_note(r, root, "nothing is fixed, and gravity acts: all bodies fall without end");
    w->h = w->def.step / w->def.substeps;
    cairn_status status = cairn_world_look(w); /* what the first step would do; it takes what is found here */
    if (status == CAIRN_OK)
        note_overlaps(r, root);
    else
        cairn_reader_fail_inside(r, root, status);
}
