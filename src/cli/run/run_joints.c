/*
 * run_joints.c: what `cairn run` says of joints that hold the same thing twice: how many rows there
 * are, their rank, and which ones depend on others.
 */
#include "cli/run/run.h"

#include <stdlib.h>

enum {
    JOINTS_MOST = 200, /* the count is dense work, and comes before the first step */
    ROWS_MOST = 6 * JOINTS_MOST,
    NAMED_MOST = 12 /* joints in the list */
};

void run_find_redundancy(run_state *run) {
    if (run->info.joints < 1 || run->info.joints > JOINTS_MOST)
        return;
    cairn_redundancy found;
    cairn_redundant_row *row = calloc(ROWS_MOST, sizeof *row);
    if (row != NULL && cairn_world_redundancy(cairn_scene_world(run->scene), row, ROWS_MOST, &found) == CAIRN_OK) {
        run->redundancy = found;
        run->redundant = row;
    } else {
        free(row);
    }
}

static const char *name_of(const run_state *run, cairn_joint wanted) {
    for (int i = 0; i < run->info.joints; i++) {
        cairn_joint joint;
        const char *name;
        if (cairn_scene_joint(run->scene, i, &joint, &name) == CAIRN_OK && joint.slot == wanted.slot)
            return name;
    }
    return "?";
}

void run_print_redundancy(const run_state *run) {
    const cairn_redundancy *r = &run->redundancy;
    if (r->redundant == 0)
        return;
    printf("  joints: %d rows of rank %d; %d depend on others, and the reactions are those of least norm:", r->rows,
           r->rank, r->redundant);
    int named = 0;
    for (int i = 0; i < r->redundant; i++) {
        bool same = i > 0 && run->redundant[i].joint.slot == run->redundant[i - 1].joint.slot;
        if (!same && named++ == NAMED_MOST) {
            printf(", ... (%d more)", r->redundant - i);
            break;
        }
        if (same)
            printf(" %d", run->redundant[i].row);
        else
            printf("%s %s row %d", named > 1 ? "," : "", name_of(run, run->redundant[i].joint), run->redundant[i].row);
    }
    putchar('\n');
}

void run_print_opposed(const run_state *run) {
    if (run->opposed == 0)
        return;
    printf("  motors work against each other in %lld of %lld steps, first %s and %s: they hold one motion together, "
           "and only "
           "the sum of what they do is determined; drive it with one, or lower their limits\n",
           (long long)run->opposed, (long long)run->done, name_of(run, run->opposed_first[0]),
           name_of(run, run->opposed_first[1]));
}

void run_json_redundancy(cli_json *json, const run_state *run) {
    if (run->redundant == NULL)
        return;
    cli_json_int(json, "joint_rows", run->redundancy.rows);
    cli_json_int(json, "joint_rank", run->redundancy.rank);
    cli_json_open(json, "redundant", '[');
    for (int i = 0; i < run->redundancy.redundant; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "joint", name_of(run, run->redundant[i].joint));
        cli_json_int(json, "row", run->redundant[i].row);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}
