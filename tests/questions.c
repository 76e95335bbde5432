/* A library to preload: counts the requests of GLFW to the X server that wait for a reply, which comes only when the
 * server has shown the last picture. Prints the number at the end. For test_replay.py. */
#include <dlfcn.h>
#include <stdio.h>

static unsigned asked;

static void *real(const char *name)
{
    asked++;
    return dlsym(RTLD_NEXT, name);
}

int XGetWindowAttributes(void *display, unsigned long window, void *attributes)
{
    int (*ask)(void *, unsigned long, void *) = (int (*)(void *, unsigned long, void *))real("XGetWindowAttributes");
    return ask(display, window, attributes);
}

int XGetInputFocus(void *display, unsigned long *focus, int *revert)
{
    int (*ask)(void *, unsigned long *, int *) = (int (*)(void *, unsigned long *, int *))real("XGetInputFocus");
    return ask(display, focus, revert);
}

int XQueryPointer(void *display, unsigned long window, unsigned long *root, unsigned long *child, int *root_x, int *root_y,
                  int *x, int *y, unsigned *mask)
{
    typedef int pointer(void *, unsigned long, unsigned long *, unsigned long *, int *, int *, int *, int *, unsigned *);
    pointer *const ask = (pointer *)real("XQueryPointer");
    return ask(display, window, root, child, root_x, root_y, x, y, mask);
}

__attribute__((destructor)) static void tell(void) { fprintf(stderr, "questions: %u\n", asked); }
