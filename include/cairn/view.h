/*
 * view.h: recordings for people to look at: the replay page, and files for other programs.
 *
 *     cairn_recording_open -> cairn_view_write or cairn_export_... -> cairn_recording_close
 *
 * Files are written under another name and renamed when they are complete.
 */
#ifndef CAIRN_VIEW_H
#define CAIRN_VIEW_H

#include "record.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which frames of a recording. Always start from cairn_default_frame_choice(). */
typedef struct cairn_frame_choice {
    uint32_t cookie;
    int every; /* every K-th frame; default 1. Works and counts of uncertified steps are summed over those left out */
    double from, to; /* s, ends included; default all */
} cairn_frame_choice;

CAIRN_API cairn_frame_choice cairn_default_frame_choice(void);

/* What was written. */
typedef struct cairn_view_report {
    int64_t frames;
    int64_t contacts, contacts_kept; /* of these frames; in the file */
    size_t bytes;                    /* of the file */
    int uncertified;                 /* frames with steps that were not certified */
} cairn_view_report;

/* The replay page (docs/viewer.md). page is the template, an HTML text with the line <!--DATA--> where the data go. limit is the number
 * of bytes that the file should not exceed: when it would, the contacts with the smallest impulses of every frame are left out and the page
 * says so. 0: no limit. choice NULL: all frames. title NULL: that of the scene. report may be NULL. */
CAIRN_API cairn_status cairn_view_write(cairn_recording *recording, const cairn_frame_choice *choice, const char *page,
                                        const char *title, size_t limit, const char *path, cairn_view_report *report);

/* For ParaView: a collection, path ends in .pvd; the files of its times (.vtp bodies and contacts, .vtu flexible parts) are in a folder of the same name
 * without the ending. */
CAIRN_API cairn_status cairn_export_pvd(cairn_recording *recording, const cairn_frame_choice *choice, const char *path);
/* One VTKHDF file (version 2.0, UnstructuredGrid, with times): bodies as triangles, flexible parts as their elements, contacts as vertices. */
CAIRN_API cairn_status cairn_export_vtkhdf(cairn_recording *recording, const cairn_frame_choice *choice,
                                           const char *path);
/* One binary glTF 2.0 file: bodies with their motion as an animation; y is up there. Flexible parts have morph targets, at most 128 and 64 MB of them. */
CAIRN_API cairn_status cairn_export_gltf(cairn_recording *recording, const cairn_frame_choice *choice,
                                         const char *path);
/* How many of the chosen frames give flexible parts a shape of their own in the glTF file; between them shapes are blended. 0: no flexible parts. */
CAIRN_API cairn_status cairn_export_gltf_shapes(cairn_recording *recording, const cairn_frame_choice *choice,
                                                int *frames, int *shapes);

#ifdef __cplusplus
}
#endif
#endif
