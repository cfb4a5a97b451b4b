/*
 * expression.h: numbers written as formulas: "4*i + (j % 2)*1.9".
 *
 *     a + b  a - b  a * b  a / b  a % b (the sign of b)  a ^ b (right to left)  -a  ( )
 *     a < b  a <= b  a > b  a >= b  a == b  a != b       1 or 0
 *     if(a, b, c)  b when a is not 0, else c; only the one that is used is computed
 *     sin cos tan asin acos atan atan2 sqrt exp log abs sign floor ceil round min max hypot   radians
 *     random(s, ...)  in [0, 1): a fixed function of its one to four arguments
 *     pi
 * Names come from a scope.
 */
#ifndef CAIRN_IO_TEXT_EXPRESSION_H
#define CAIRN_IO_TEXT_EXPRESSION_H

#include "base/core.h"

/* Where a variable comes from; what an expression used is given as a sum of these. */
enum { CAIRN_VARIABLE_PARAMETER = 1, CAIRN_VARIABLE_INDEX = 2, CAIRN_VARIABLE_TIME = 4 };

typedef struct cairn_variable {
    const char *name;
    double value;
    int origin;
} cairn_variable;

/* Later variables hide earlier ones of the same name. */
typedef struct cairn_variables {
    const cairn_variable *item;
    int count;
} cairn_variables;

typedef struct cairn_expression_result {
    double value;
    int used;          /* origins of the variables it read */
    char message[200]; /* why it failed */
} cairn_expression_result;

/* False: a message that names the character. The value may be infinite or NaN: that is for the
 * caller to refuse. */
bool cairn_expression_evaluate(const char *text, cairn_variables variables, cairn_expression_result *result);

/* Whether the text can name a variable: letters, digits, _, not a digit first, not pi or a
 * function. */
bool cairn_expression_is_name(const char *text);

/* A number in [0, 1) from a seed and three further numbers. */
double cairn_expression_random(double a, double b, double c, double d);

#endif
