/*
 * engine_cairn.h: Cairn as an engine of the race; it lives in the program itself.
 */
#ifndef CAIRN_ENGINES_ENGINE_CAIRN_H
#define CAIRN_ENGINES_ENGINE_CAIRN_H

#include "engine.h"

#include <cairn/cairn.h>

const engine *cairn_table(int *count, const char **words);

/* Shapes of a setting, one a body and NULL where a body has none; equal shapes are one. False: it could not be made. */
bool setting_shapes(const setting *s, cairn_context *context, cairn_shape **shape);

#endif
