/*
 * factor_schedule.c: cuts the tree of panels into tasks, and plans the memory of fronts and
 * updates.
 *
 * A task is a range of whole subtrees whose estimated work is at most 1 / PARTS of all. What is
 * left above is the top. An update lives from its panel's turn to its parent's. In postorder the
 * updates of panels of even depth form a stack, and so do those of odd depth: a panel takes its
 * children from one stack and puts its own update on the other, so nothing is moved. The update of
 * a panel that a renewal keeps, while it does not keep the parent, must outlive that: it has a
 * place of its own behind all tasks.
 */
#include "linalg/factor/factor_data.h"

#define PARTS      12  /* no task is larger than this part of the whole */
#define LEAST_WORK 2e7 /* multiply-adds below which everything stays in the top: threads would not pay */

int cairn_cut_tasks(int panels, const int *parent, const double *cost, double *sum, int *low, cairn_task *task) {
    double total = 0.0;
    for (int s = 0; s < panels; s++) {
        sum[s] = 0.0;
        low[s] = s;
        total += cost[s];
    }
    if (total < LEAST_WORK)
        return 0;
    for (int s = 0; s < panels; s++) {
        sum[s] += cost[s];
        if (parent[s] >= 0) {
            sum[parent[s]] += sum[s];
            low[parent[s]] = low[s] < low[parent[s]] ? low[s] : low[parent[s]];
        }
    }
    double most = total / PARTS, last = 0.0;
    int tasks = 0, end = -1; /* the task being filled ends before panel end */
    for (int s = 0; s < panels; s++) {
        if (sum[s] > most || (parent[s] >= 0 && sum[parent[s]] <= most))
            continue;
        if (low[s] != end || last + sum[s] > most) {
            tasks++;
            last = 0.0;
            if (task != NULL)
                task[tasks - 1].begin = low[s];
        }
        last += sum[s];
        end = s + 1;
        if (task != NULL) {
            task[tasks - 1].end = end;
            task[tasks - 1].cost = last;
        }
    }
    return tasks;
}

/* The update of panel s is read by renewals that do not compute it. */
static bool outlives(const cairn_factor *f, int s) {
    return f->keep != NULL && f->keep[s] && f->parent[s] >= 0 && !f->keep[f->parent[s]];
}

/* One panel's turn: makes room for its front, takes its children's updates off, puts its own on.
 * top: doubles on the two stacks. same: panels c of this task, distinguished from others by
 * owner[c]. */
static void plan_panel(const cairn_factor *f, const cairn_pattern *a, const int *owner, const int *depth, int s,
                       cairn_task *task, int64_t top[2]) {
    int width = cairn_panel_width(f, s), own = cairn_quads(width), quads = own + cairn_quads(a->below[s]);
    int64_t front = 16 * (int64_t)own * quads, scaled = 4 * (int64_t)quads * cairn_block_width(width);
    int64_t size = 4 * (int64_t)cairn_quads(a->below[s]);
    task->front_size = front > task->front_size ? front : task->front_size;
    task->scaled_size = scaled > task->scaled_size ? scaled : task->scaled_size;
    for (int c = f->child[s]; c >= 0; c = f->next[c]) {
        int64_t child = 4 * (int64_t)cairn_quads(a->below[c]);
        if (owner[c] == owner[s] && !outlives(f, c))
            top[depth[c] & 1] -= f->sides * child * child;
    }
    int odd = depth[s] & 1;
    if (outlives(f, s))
        return;
    f->update_at[s] = top[odd];
    top[odd] += f->sides * size * size;
    task->stack_size[odd] = top[odd] > task->stack_size[odd] ? top[odd] : task->stack_size[odd];
}

void cairn_plan_work(cairn_factor *f, const cairn_pattern *a, int *owner, int *depth) {
    for (int s = 0; s < f->panels; s++)
        owner[s] = f->tasks;
    for (int s = f->panels - 1; s >= 0; s--)
        depth[s] = f->parent[s] >= 0 ? depth[f->parent[s]] + 1 : 0;
    for (int t = 0; t < f->tasks; t++)
        for (int s = f->task[t].begin; s < f->task[t].end; s++)
            owner[s] = t;
    int64_t used = 0;
    for (int t = 0; t <= f->tasks; t++) {
        cairn_task *task = &f->task[t];
        int64_t top[2] = {0, 0};
        int begin = t < f->tasks ? task->begin : 0, end = t < f->tasks ? task->end : f->panels;
        for (int s = begin; s < end; s++)
            if (owner[s] == t)
                plan_panel(f, a, owner, depth, s, task, top);
        task->front = used;
        task->scaled = task->front + f->sides * task->front_size;
        task->stack[0] = task->scaled + f->sides * task->scaled_size;
        task->stack[1] = task->stack[0] + task->stack_size[0];
        used = task->stack[1] + task->stack_size[1];
        for (int s = begin; s < end; s++)
            if (owner[s] == t)
                f->update_at[s] += task->stack[depth[s] & 1];
        used = (used + 7) / 8 * 8;
    }
    for (int s = 0; s < f->panels; s++)
        if (outlives(f, s)) {
            int64_t size = 4 * (int64_t)cairn_quads(a->below[s]);
            f->update_at[s] = used;
            used += f->sides * size * size;
        }
    f->work_size = used;
}
