/*
 * table.c: prints a race: times by problem, then totals, medians and ratios.
 *
 * Ratios compare like with like: a contestant's total and Cairn's over the problems that both solved.
 */
#include "table.h"

#include <math.h>
#include <stdlib.h>

bool race_solved_plain(const race_cell *cell, double tolerance) {
    return cell->finished && cell->plain <= tolerance;
}

bool race_solved_both(const race_cell *cell, double tolerance) {
    return race_solved_plain(cell, tolerance) && cell->relative <= tolerance;
}

static const race_cell *cell_at(const race_table *table, int problem, int peer) {
    return &table->cell[problem * table->peers + peer];
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts x; NAN for none. */
static double median(double *x, int count) {
    if (count == 0)
        return (double)NAN;
    qsort(x, (size_t)count, sizeof *x, compare);
    return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

/* Who pays for N where a contestant needs it and the file has H and D. */
typedef enum forming { N_GIVEN, N_BY_CAIRN, N_OWN, N_WAYS } forming;

static const char *const forming_name[N_WAYS] = {"N given", "N formed by Cairn for all and counted",
                                                 "N formed by each side's own means and counted"};

static double cost(const race_table *table, int problem, int peer, forming how) {
    const race_cell *cell = cell_at(table, problem, peer);
    return cell->seconds + (how == N_GIVEN ? 0.0 : how == N_BY_CAIRN ? cell->forming : cell->reduction);
}

/* The fastest peer that solved a problem under the peers' formula; -1: none. */
static int best_peer(const race_table *table, int problem, forming how) {
    int best = -1;
    for (int j = table->own; j < table->peers; j++)
        if (race_solved_plain(cell_at(table, problem, j), table->tolerance) &&
            (best < 0 || cost(table, problem, j, how) < cost(table, problem, best, how)))
            best = j;
    return best;
}

/* Milliseconds and a mark: ok under both figures, p the plain one only, s the scaled one only, x neither. */
static void print_cell(const race_cell *cell, double tolerance, FILE *out) {
    bool plain = race_solved_plain(cell, tolerance), scaled = cell->finished && cell->relative <= tolerance;
    if (!cell->tried)
        fprintf(out, " %11s", "");
    else if (!cell->finished)
        fprintf(out, " %11s", "none -");
    else
        fprintf(out, " %9.2f %c", 1e3 * cell->seconds, plain && scaled ? ' ' : plain ? 'p' : scaled ? 's' : 'x');
}

static void print_problems(const race_table *table, FILE *out) {
    fprintf(out, "%-34s %8s", "problem", "contacts");
    for (int j = 0; j < table->peers; j++)
        fprintf(out, " %9s  ", table->peer[j]->name);
    fprintf(out, " %9s %12s\n", "best peer", "first / best");
    for (int i = 0; i < table->problems; i++) {
        fprintf(out, "%-34.34s %8d", table->name[i], table->contacts[i]);
        for (int j = 0; j < table->peers; j++)
            print_cell(cell_at(table, i, j), table->tolerance, out);
        int best = best_peer(table, i, N_OWN);
        const race_cell *own = cell_at(table, i, 0);
        if (best < 0)
            fprintf(out, "  %9s\n", "none");
        else if (!race_solved_both(own, table->tolerance))
            fprintf(out, "  %9s %12s\n", table->peer[best]->name, "not solved");
        else
            fprintf(out, "  %9s %12.4f\n", table->peer[best]->name, own->seconds / cost(table, i, best, N_OWN));
    }
}

/* One contestant over all problems, and Cairn over the problems that both solved. */
static void print_summary_row(const race_table *table, int j, double *work, double *own_work, FILE *out) {
    int tried = 0, plain = 0, scaled = 0, both = 0, common = 0;
    double total = 0.0, shared = 0.0, own = 0.0;
    for (int i = 0; i < table->problems; i++) {
        const race_cell *cell = cell_at(table, i, j), *cairn = cell_at(table, i, 0);
        bool solved = race_solved_plain(cell, table->tolerance);
        tried += cell->tried;
        plain += solved;
        scaled += cell->finished && cell->relative <= table->tolerance;
        both += race_solved_both(cell, table->tolerance);
        if (solved)
            total += cell->seconds;
        if (solved && race_solved_both(cairn, table->tolerance)) {
            work[common] = cell->seconds;
            own_work[common++] = cairn->seconds;
            shared += cell->seconds;
            own += cairn->seconds;
        }
    }
    double middle = median(work, common), own_middle = median(own_work, common);
    fprintf(out, "%-10s %6d %6d %6d %6d %11.2f %11.2f %11.4f %12.4f\n", table->peer[j]->name, tried, plain, scaled,
            both, 1e3 * middle, 1e3 * total, common > 0 ? own / shared : (double)NAN, own_middle / middle);
}

/* Cairn's column `which` on a problem; -1: the fastest of its columns that solved it, the first when none did. */
static int own_column(const race_table *table, int problem, int which, forming how) {
    if (which >= 0)
        return which;
    int best = -1;
    for (int j = 0; j < table->own; j++)
        if (race_solved_both(cell_at(table, problem, j), table->tolerance) &&
            (best < 0 || cost(table, problem, j, how) < cost(table, problem, best, how)))
            best = j;
    return best < 0 ? 0 : best;
}

/* Cairn's column `which`, or the fastest of its columns (-1), against the fastest peer of each problem. */
static void print_best(const race_table *table, int which, forming how, double *work, FILE *out) {
    int common = 0, slower = 0;
    double best_total = 0.0, own_total = 0.0, inner_total = 0.0;
    for (int i = 0; i < table->problems; i++) {
        int best = best_peer(table, i, how);
        int column = own_column(table, i, which, how);
        const race_cell *own = cell_at(table, i, column);
        if (best < 0 || !race_solved_both(own, table->tolerance))
            continue;
        double theirs = cost(table, i, best, how), ours = cost(table, i, column, how);
        work[common++] = ours / theirs;
        slower += ours > theirs;
        best_total += theirs;
        own_total += ours;
        inner_total += own->inner;
    }
    if (common == 0)
        return;
    fprintf(out,
            "%s against the fastest peer of each of %d problems, %s: total %.2f against %.2f, ratio %.4f (without "
            "load %.4f); "
            "median of ratios %.4f; slower on %d\n",
            which < 0 ? "Cairn's fastest" : table->peer[which]->name, common, forming_name[how], 1e3 * own_total,
            1e3 * best_total, own_total / best_total, inner_total / best_total, median(work, common), slower);
}

void race_print(const race_table *table, FILE *out) {
    double *work = calloc((size_t)table->problems * 2, sizeof *work);
    if (work == NULL)
        return;
    fprintf(out, "tolerance %.0e, %s law, %d problems, CPU milliseconds of the solver call\n", table->tolerance,
            cairn_law_name(table->law), table->problems);
    print_problems(table, out);
    fprintf(out, "\n%-10s %6s %6s %6s %6s %11s %11s %11s %12s\n", "solver", "tried", "plain", "scaled", "both",
            "median", "total", "first/total", "first/median");
    for (int j = 0; j < table->peers; j++)
        print_summary_row(table, j, work, work + table->problems, out);
    for (int which = table->own > 1 ? -1 : 0; which < table->own; which++)
        for (int how = 0; how < N_WAYS; how++)
            print_best(table, which, (forming)how, work, out);
    fprintf(out, "\n");
    free(work);
}

void race_print_csv(const race_table *table, bool head, FILE *out) {
    if (head)
        fprintf(out, "tolerance,problem,contacts,solver,finished,verdict,iterations,seconds,seconds_without_load,"
                     "seconds_to_form_n,seconds_of_own_reduction,relative,plain,solved_plain,solved_both\n");
    for (int i = 0; i < table->problems; i++)
        for (int j = 0; j < table->peers; j++) {
            const race_cell *cell = cell_at(table, i, j);
            if (!cell->tried)
                continue;
            fprintf(out, "%g,%s,%d,%s,%d,%d,%d,%.9g,%.9g,%.9g,%.9g,%.4g,%.4g,%d,%d\n", table->tolerance, table->name[i],
                    table->contacts[i], table->peer[j]->name, cell->finished, cell->verdict, cell->iterations,
                    cell->seconds, cell->inner, cell->forming, cell->reduction, cell->relative, cell->plain,
                    race_solved_plain(cell, table->tolerance), race_solved_both(cell, table->tolerance));
        }
}

/* Names of problems and solvers hold no letter that JSON would have to escape, other than those of odd file names. */
static void put_name(const char *name, FILE *out) {
    for (; *name != '\0'; name++)
        if (*name == '"' || *name == '\\')
            fprintf(out, "\\%c", *name);
        else if ((unsigned char)*name >= 0x20)
            fputc(*name, out);
}

static void put_number(const char *key, double x, FILE *out) {
    if (isfinite(x))
        fprintf(out, ", \"%s\": %.9g", key, x);
    else
        fprintf(out, ", \"%s\": null", key);
}

void race_print_jsonl(const race_table *table, FILE *out) {
    for (int i = 0; i < table->problems; i++)
        for (int j = table->own; j < table->peers; j++) {
            const race_cell *cell = cell_at(table, i, j);
            if (!cell->tried)
                continue;
            fputs("{\"kind\": \"run\", \"program\": \"Siconos\", \"version\": \"4.4\", \"problem\": \"", out);
            put_name(table->name[i], out);
            fprintf(out, "\", \"method\": \"siconos %s\", \"law\": \"%s\", \"tolerance\": %g, \"outcome\": \"%s\"",
                    table->peer[j]->name, cairn_law_name(table->law), table->tolerance,
                    !cell->finished      ? "no answer"
                    : cell->verdict == 0 ? "solved"
                                         : "not solved");
            fprintf(out, ", \"sizes\": {\"contacts\": %d}", table->contacts[i]);
            if (cell->finished) {
                put_number("seconds", cell->seconds, out);
                put_number("forming_seconds", cell->forming, out);
                fprintf(out, ", \"iterations\": %d, \"certificate\": {\"tolerance\": %g", cell->iterations,
                        table->tolerance);
                put_number("relative", cell->relative, out);
                put_number("plain", cell->plain, out);
                fputs("}", out);
            }
            fprintf(out, ", \"note\": \"%s\"}\n", table->peer[j]->note);
        }
}
