/*
 * settings.h: what the driver needs to know of settings.
 */
#ifndef CAIRN_SOLVE_DRIVER_SETTINGS_H
#define CAIRN_SOLVE_DRIVER_SETTINGS_H

#include <cairn/solver.h>

#define CAIRN_SETTINGS_COOKIE UINT32_C(0x73657474)

/* NULL when every field is in range, else message, filled. */
const char *cairn_settings_check(const cairn_settings *settings, char *message, size_t size);

#endif
