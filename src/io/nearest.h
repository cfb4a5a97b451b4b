/*
 * nearest.h: which known word was meant.
 */
#ifndef CAIRN_IO_NEAREST_H
#define CAIRN_IO_NEAREST_H

/* The known word with the fewest letters put in, left out, changed or swapped, when they are few enough to be a slip; else NULL. */
const char *cairn_nearest(const char *text, const char *const *word, int count);

#endif
