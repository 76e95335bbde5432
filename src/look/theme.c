#include "theme.h"

const char *const theme_name[THEMES] = { "dark", "light" };
