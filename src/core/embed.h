/* Embeds a file of the source tree in the program, through the assembler. EMBED defines its bytes; EMBEDDED initialises its
 * struct resource. */
#ifndef ISO_EMBED_H
#define ISO_EMBED_H

/* ISO_SOURCE_DIR: absolute path of the source tree, from CMake. A byte of 0 follows the file. */
#define EMBED(symbol, path)                                                                                      \
    __asm__(".pushsection .rodata\n.balign 16\nresource_" #symbol ":\n.incbin \"" ISO_SOURCE_DIR "/" path "\"\n" \
            "resource_" #symbol "_end:\n.byte 0\n.popsection\n");                                                \
    extern const unsigned char resource_##symbol[], resource_##symbol##_end[]

#define EMBEDDED(symbol, path)                           \
    {                                                    \
        path, resource_##symbol, resource_##symbol##_end \
    }

#endif
