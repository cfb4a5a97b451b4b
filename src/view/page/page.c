/*
 * page.c: the replay page: which frames, how many contacts, and the file.
 *
 * The page is the template with the data in the place of its mark. When the file would be larger
 * than the limit, every frame keeps the same share of its contacts, those with the largest
 * impulses; the share is found by trying.
 */
#include "view/page/page_data.h"
#include "view/export_file.h"

#include <math.h>
#include <string.h>

#define CHOICE_COOKIE UINT32_C(0xc4a1f8a3)
#define MARK          "<!--DATA-->"
enum { TRIES = 6 };

cairn_frame_choice cairn_default_frame_choice(void) {
    return (cairn_frame_choice){.cookie = CHOICE_COOKIE, .every = 1, .from = -INFINITY, .to = INFINITY};
}

cairn_status cairn_frames_choose(cairn_recording *recording, const cairn_frame_choice *given, int64_t **frame,
                                 int *count) {
    cairn_context *context = cairn_recording_context(recording);
    cairn_frame_choice choice = given != NULL ? *given : cairn_default_frame_choice();
    int64_t all = cairn_recording_get(recording).frames, first = -1;
    if (choice.cookie != CHOICE_COOKIE)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "frames: not made by cairn_default_frame_choice");
    if (choice.every < 1 || !(choice.from <= choice.to))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "frames: every %d from %g s to %g s is no range", choice.every,
                          choice.from, choice.to);
    if (all > INT32_MAX)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "%lld frames are too many", (long long)all);
    int64_t *list = cairn_alloc(context, (size_t)all, sizeof *list);
    if (list == NULL)
        return CAIRN_ERROR_MEMORY;
    int chosen = 0;
    for (int64_t k = 0; k < all; k++) {
        double time = 0.0;
        cairn_status status = cairn_recording_time(recording, k, &time);
        if (status != CAIRN_OK) {
            cairn_free(context, list);
            return status;
        }
        double slack = 1e-9 * fabs(time);
        if (time < choice.from - slack || time > choice.to + slack)
            continue;
        first = first < 0 ? k : first;
        if ((k - first) % choice.every == 0)
            list[chosen++] = k;
    }
    if (chosen == 0) {
        cairn_free(context, list);
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "no frame of the recording's %lld lies from %g s to %g s",
                          (long long)all, choice.from, choice.to);
    }
    *frame = list;
    *count = chosen;
    return CAIRN_OK;
}

/* The text of "title" in the scene, as far as it can be found without reading all of it; "" when
 * there is none. */
static void scene_title(const char *scene, char *title, size_t size) {
    const char *at = strstr(scene, "\"title\"");
    size_t length = 0;
    title[0] = '\0';
    if (at == NULL)
        return;
    at += strlen("\"title\"");
    at += strspn(at, " \t\r\n:");
    if (*at != '"')
        return;
    for (at++; *at != '\0' && *at != '"' && length + 1 < size; at++) {
        if (*at == '\\' && at[1] != '\0')
            at++;
        title[length++] = *at;
    }
    title[length] = '\0';
}

/* Contacts in at most room bytes. */
static cairn_status fit_contacts(cairn_view *v, size_t room, cairn_bytes *contacts) {
    for (int try = 0; try < TRIES; try++) {
        contacts->size = 0;
        cairn_status status = cairn_view_contacts(v, contacts);
        if (status != CAIRN_OK || contacts->failed)
            return status;
        if (contacts->size <= room)
            return CAIRN_OK;
        v->share *= try + 2 == TRIES ? 0.0 : 0.96 * (double)room / (double)contacts->size;
    }
    return CAIRN_OK;
}

static void add_series(const cairn_view *v, cairn_bytes *out) {
    cairn_bytes raw = {.context = v->context};
    cairn_bytes_add(&raw, v->series, (size_t)v->frames * CAIRN_SERIES_COUNT * sizeof *v->series);
    cairn_view_block(out, "series", -1, &raw);
    cairn_bytes_free(&raw);
}

/* All data of the page into three buffers. */
static cairn_status make_data(cairn_view *v, const char *title, size_t limit, size_t page, cairn_bytes *meta,
                              cairn_bytes *bodies, cairn_bytes *contacts) {
    cairn_status status = cairn_view_scan(v);
    if (status == CAIRN_OK)
        status = cairn_view_bodies(v, bodies);
    if (status == CAIRN_OK)
        status = cairn_view_nodes(v, bodies);
    if (status == CAIRN_OK)
        status = cairn_view_holds(v, bodies);
    if (status != CAIRN_OK)
        return status;
    add_series(v, bodies);
    cairn_view_meta(v, title, meta);
    size_t fixed = page + bodies->size + meta->size + 1024;
    status = fit_contacts(v, limit == 0 ? SIZE_MAX : limit > fixed ? limit - fixed : 0, contacts);
    meta->size = 0; /* again: it says how many contacts were kept */
    cairn_view_meta(v, title, meta);
    return status == CAIRN_OK && (meta->failed || bodies->failed || contacts->failed) ? CAIRN_ERROR_MEMORY : status;
}

static cairn_status write_page(cairn_view *v, const char *page, const char *title, size_t limit, const char *path,
                               cairn_view_report *report) {
    const char *mark = strstr(page, MARK);
    cairn_bytes meta = {.context = v->context}, bodies = meta, contacts = meta;
    cairn_status status = make_data(v, title, limit, strlen(page), &meta, &bodies, &contacts);
    const cairn_piece piece[] = {{page, (size_t)(mark - page)},
                                 {meta.data, meta.size},
                                 {bodies.data, bodies.size},
                                 {contacts.data, contacts.size},
                                 {mark + strlen(MARK), strlen(mark + strlen(MARK))}};
    if (status == CAIRN_OK)
        status = cairn_view_file(v->context, path, sizeof piece / sizeof *piece, piece);
    if (status == CAIRN_OK && report != NULL) {
        *report = (cairn_view_report){.frames = v->frames, .contacts = v->contacts, .contacts_kept = v->kept};
        for (size_t i = 0; i < sizeof piece / sizeof *piece; i++)
            report->bytes += piece[i].size;
        for (int k = 0; k < v->frames; k++)
            report->uncertified += v->series[(ptrdiff_t)CAIRN_SERIES_UNCERTIFIED * v->frames + k] > 0.0;
    }
    cairn_bytes_free(&meta);
    cairn_bytes_free(&bodies);
    cairn_bytes_free(&contacts);
    return status;
}

cairn_status cairn_view_write(cairn_recording *recording, const cairn_frame_choice *choice, const char *page,
                              const char *title, size_t limit, const char *path, cairn_view_report *report) {
    char own_title[256];
    cairn_status status = cairn_export_begin(recording, path);
    if (status != CAIRN_OK)
        return status;
    cairn_view v = {.context = cairn_recording_context(recording), .recording = recording, .share = 1.0};
    if (page == NULL || strstr(page, MARK) == NULL)
        return cairn_fail(v.context, CAIRN_ERROR_ARGUMENT, "replay page: no template, or one without %s", MARK);
    v.info = cairn_recording_get(recording);
    scene_title(v.info.scene, own_title, sizeof own_title);
    status = cairn_frames_choose(recording, choice, &v.frame, &v.frames);
    if (status == CAIRN_OK)
        status = write_page(&v, page, title != NULL ? title : own_title, limit, path, report);
    cairn_free(v.context, v.frame);
    cairn_free(v.context, v.moving);
    cairn_free(v.context, v.parent);
    cairn_free(v.context, v.radius);
    cairn_free(v.context, v.middle);
    cairn_free(v.context, v.first_pose);
    cairn_free(v.context, v.series);
    cairn_free(v.context, v.mu);
    return status;
}
