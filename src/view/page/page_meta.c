/*
 * page_meta.c: the description of a run at the head of its replay page, as JSON: what there is,
 * units of the integers, bounds.
 */
#include "view/page/page_data.h"

#include <math.h>
#include <string.h>

static void put_reals(cairn_bytes *out, int count, const double *x, int digits) {
    for (int i = 0; i < count; i++) {
        cairn_bytes_text(out, i > 0 ? "," : "");
        cairn_bytes_real(out, x[i], digits);
    }
}

static void put_shape(const cairn_view *v, int index, cairn_bytes *out) {
    cairn_recorded_shape s;
    if (cairn_recording_shape(v->recording, index, &s) != CAIRN_OK)
        return;
    cairn_bytes_print(out, "%s\n{\"kind\":\"%s\",\"size\":[", index > 0 ? "," : "", cairn_shape_kind_name(s.kind));
    put_reals(out, 3, s.size, 9);
    cairn_bytes_text(out, "]");
    if (s.points > 0) {
        cairn_bytes_text(out, ",\"points\":[");
        put_reals(out, 3 * s.points, s.point, 7);
        cairn_bytes_text(out, "],\"triangles\":[");
        for (int i = 0; i < 3 * s.triangles; i++)
            cairn_bytes_print(out, "%s%d", i > 0 ? "," : "", s.triangle[i]);
        cairn_bytes_text(out, "]");
    }
    for (int i = 0; i < s.children; i++) {
        cairn_bytes_print(out, "%s{\"shape\":%d,\"pose\":[", i == 0 ? ",\"children\":[" : ",", s.child[i]);
        put_reals(out, 7, s.child_pose + (ptrdiff_t)7 * i, 9);
        cairn_bytes_text(out, "]}");
    }
    cairn_bytes_text(out, s.children > 0 ? "]}" : "}");
}

static void put_body(const cairn_view *v, int index, cairn_bytes *out) {
    cairn_recorded_body b;
    if (cairn_recording_body(v->recording, index, &b) != CAIRN_OK)
        return;
    cairn_bytes_text(out, index > 0 ? ",\n[" : "\n[");
    cairn_bytes_json(out, b.name);
    cairn_bytes_print(out, ",%d,%d,", (int)b.kind, b.shape);
    cairn_bytes_real(out, b.mass, 9);
    for (int c = 0; c < 3; c++) {
        cairn_bytes_text(out, ",");
        cairn_bytes_real(out, b.center[c], 7);
    }
    cairn_bytes_text(out, "]");
}

static void put_joint(const cairn_view *v, int index, cairn_bytes *out) {
    cairn_recorded_joint j;
    if (cairn_recording_joint(v->recording, index, &j) != CAIRN_OK)
        return;
    cairn_bytes_text(out, index > 0 ? ",\n{\"name\":" : "\n{\"name\":");
    cairn_bytes_json(out, j.name);
    cairn_bytes_print(out, ",\"kind\":%d,\"a\":%d,\"b\":%d,\"frameA\":[", (int)j.kind, j.a, j.b);
    put_reals(out, 7, j.frame_a, 9);
    cairn_bytes_text(out, "],\"frameB\":[");
    put_reals(out, 7, j.frame_b, 9);
    cairn_bytes_text(out, "]}");
}

static void put_box(cairn_bytes *out, const char *name, const cairn_box *box) {
    cairn_bytes_print(out, ",\"%s\":", name);
    if (!(box->low[0] <= box->high[0])) {
        cairn_bytes_text(out, "null");
        return;
    }
    cairn_bytes_text(out, "[");
    put_reals(out, 3, box->low, 7);
    cairn_bytes_text(out, ",");
    put_reals(out, 3, box->high, 7);
    cairn_bytes_text(out, "]");
}

static void put_named(cairn_bytes *out, const char *name, const char *text) {
    cairn_bytes_print(out, ",\n\"%s\":", name);
    cairn_bytes_json(out, text);
}

static void put_lists(const cairn_view *v, cairn_bytes *out) {
    cairn_bytes_text(out, ",\n\"moving\":[");
    for (int i = 0; i < v->movings; i++)
        cairn_bytes_print(out, "%s%d", i > 0 ? "," : "", v->moving[i]);
    cairn_bytes_text(out, "],\n\"pose\":["); /* of the bodies that stay, 7 each, in order */
    for (int i = 0, next = 0, any = 0; i < v->info.bodies; i++) {
        if (next < v->movings && v->moving[next] == i) {
            next++;
            continue;
        }
        cairn_bytes_text(out, any++ ? "," : "");
        put_reals(out, 7, v->first_pose + (ptrdiff_t)7 * i, 9);
    }
    cairn_bytes_text(out, "],\n\"radius\":[");
    put_reals(out, v->info.bodies, v->radius, 4);
    cairn_bytes_text(out, "],\n\"mu\":[");
    put_reals(out, v->mus, v->mu, 17);
    cairn_bytes_text(out, "],\n\"outcomes\":[");
    for (int i = 0; i <= (int)CAIRN_CANCELLED; i++)
        cairn_bytes_print(out, "%s\"%s\"", i > 0 ? "," : "", cairn_outcome_name((cairn_outcome)i));
    cairn_bytes_text(out, "],\n\"notes\":[");
    for (int i = 0; i < v->notes; i++) {
        cairn_bytes_text(out, i > 0 ? "," : "");
        cairn_bytes_json(out, v->note[i]);
    }
    cairn_bytes_text(out, "],\n\"series\":[");
    for (int i = 0; i < CAIRN_SERIES_COUNT; i++)
        cairn_bytes_print(out, "%s\"%s\"", i > 0 ? "," : "", cairn_series_name(i));
    cairn_bytes_text(out, "]");
}

void cairn_view_meta(const cairn_view *v, const char *title, cairn_bytes *out) {
    cairn_bytes_text(out, "<script type=\"application/json\" id=\"run\">{\"format\":\"cairn-replay\",\"version\":2");
    put_named(out, "title", title);
    put_named(out, "cairn", v->info.version);
    put_named(out, "instructions", v->info.instructions);
    put_named(out, "method", v->info.method);
    put_named(out, "law", v->info.law);
    cairn_bytes_text(out, ",\n\"tolerance\":");
    cairn_bytes_real(out, v->info.tolerance, 17);
    cairn_bytes_text(out, ",\n\"tolerance_velocity\":");
    cairn_bytes_real(out, v->info.tolerance_velocity, 17);
    cairn_bytes_text(out, ",\"step\":");
    cairn_bytes_real(out, v->info.step, 17);
    cairn_bytes_print(out, ",\"live\":%s,\"frames\":%d,\"chunk\":%d,\"contacts\":%lld,\"kept\":%lld",
                      v->info.live ? "true" : "false", v->frames, v->chunk, (long long)v->contacts, (long long)v->kept);
    const double quantum[] = {v->position_quantum, v->velocity_quantum, v->spin_quantum};
    cairn_bytes_text(out, ",\n\"quantum\":[");
    put_reals(out, 3, quantum, 17);
    cairn_bytes_text(out, "]");
    cairn_bytes_text(out, ",\"pointQuantum\":");
    cairn_bytes_real(out, v->point_quantum, 17);
    cairn_bytes_text(out, ",\"leastGap\":");
    cairn_bytes_real(out, v->least_gap, 17);
    cairn_bytes_print(out, ",\"impulseBase\":%d", v->impulse_base);
    put_box(out, "start", &v->start);
    put_box(out, "end", &v->end);
    put_box(out, "all", &v->all);
    put_lists(v, out);
    cairn_bytes_text(out, ",\n\"shapes\":[");
    for (int i = 0; i < v->info.shapes; i++)
        put_shape(v, i, out);
    cairn_bytes_text(out, "],\n\"bodies\":["); /* name, kind, shape, mass, centre */
    for (int i = 0; i < v->info.bodies; i++)
        put_body(v, i, out);
    cairn_bytes_text(out, "],\n\"joints\":[");
    for (int i = 0; i < v->info.joints; i++)
        put_joint(v, i, out);
    cairn_bytes_text(out, "]");
    cairn_view_meta_parts(v, out);
    cairn_bytes_text(out, "}</script>\n");
}
