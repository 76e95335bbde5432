/* Colours of the panel: dark or light. */
#ifndef ISO_THEME_H
#define ISO_THEME_H

#ifdef __cplusplus
extern "C" {
#endif

enum { THEME_DARK, THEME_LIGHT, THEMES };

extern const char *const theme_name[THEMES]; /* as on the command line */

#ifdef __cplusplus
}
#endif
#endif
