/*
 * method_table.c: every method, one row each. The first is the default of the command line.
 */
#include "solve/driver/method.h"

#include <string.h>

extern const cairn_method cairn_method_padmm, cairn_method_admm, cairn_method_fadmm, cairn_method_pfadmm;
extern const cairn_method cairn_method_auto, cairn_method_nsn, cairn_method_ipm, cairn_method_splitmetric;
extern const cairn_method cairn_method_jacobi, cairn_method_pgs, cairn_method_psor, cairn_method_spg;
extern const cairn_method cairn_method_primal_admm, cairn_method_pg, cairn_method_apgd;
extern const cairn_method cairn_method_ipm_mt, cairn_method_lemke, cairn_method_nncg;

static const cairn_method *const table[] = {
    &cairn_method_auto,   &cairn_method_padmm,  &cairn_method_splitmetric, &cairn_method_admm,
    &cairn_method_fadmm,  &cairn_method_pfadmm, &cairn_method_ipm,         &cairn_method_nsn,
    &cairn_method_jacobi, &cairn_method_pgs,    &cairn_method_psor,        &cairn_method_nncg,
    &cairn_method_spg,    &cairn_method_pg,     &cairn_method_apgd,        &cairn_method_primal_admm,
    &cairn_method_ipm_mt, &cairn_method_lemke,
};
enum { METHODS = sizeof table / sizeof *table };

const cairn_method *cairn_method_at(int index) {
    return index >= 0 && index < METHODS ? table[index] : NULL;
}

const cairn_method *cairn_method_find(const char *name) {
    for (int i = 0; i < METHODS; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

int cairn_method_count(void) {
    return METHODS;
}

cairn_status cairn_method_get(int index, cairn_method_info *info) {
    const cairn_method *method = cairn_method_at(index);
    if (method == NULL || info == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *info = (cairn_method_info){
        .name = method->name, .summary = method->summary, .paper = method->paper, .accepts = method->accepts};
    return CAIRN_OK;
}
