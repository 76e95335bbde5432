/* Layout: what a file's header says. Where its values lie and how they are packed, what they mean, and where the volume
 * lies in the world. Each format has a reader that fills a layout without reading a voxel; voxels.c does that for all of
 * them. */
#ifndef ISO_LAYOUT_H
#define ISO_LAYOUT_H

#include "axis.h"
#include "source.h"
#include "stored_type.h"
#include "volume.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LAYOUT_MAX_PARTS ((size_t)1 << 20)  /* files of one volume */
#define LAYOUT_MAX_HEADER ((size_t)1 << 20) /* bytes; longer headers are refused */
#define LAYOUT_MIN_LENGTH 1e-15 /* of a voxel's edge, by whomever it is set; beyond, its square would leave float */
#define LAYOUT_MAX_LENGTH 1e15

enum compression {
    COMPRESSION_NONE,
    COMPRESSION_DEFLATE, /* in a gzip or zlib wrapper */
    COMPRESSION_BZIP2
};

/* How bytes, once uncompressed, become values. */
enum encoding {
    ENCODING_BINARY, /* values of `type` in the byte order of `big_endian` */
    ENCODING_TEXT,   /* decimal numbers with white space or commas between */
    ENCODING_HEX,    /* two digits a byte, then as binary */
    ENCODING_VTK,    /* a data array of a VTK XML file: `vtk` says which */
    ENCODING_TIFF,   /* pages of a TIFF file, decoded by libtiff */
    ENCODING_IMAGE   /* a PNG or JPEG file a slice, decoded by stb_image */
};

/* Bytes of a file, or all its pages. */
struct layout_part {
    char *path;      /* owned; NULL: the file of the header */
    uint64_t offset; /* of the first byte */
    uint64_t bytes;  /* from there on, compressed if the layout is */
};

struct layout {
    uint64_t size[AXIS_COUNT]; /* values along each axis, none of them 0 once set; absent axes: 1 */
    uint8_t order[AXIS_COUNT]; /* enum layout_axis, fastest varying first: each once */
    const struct stored_type *type;
    bool big_endian; /* binary, hex and vtk */
    bool fractions;  /* text: values of 8 bits, each divided by 255 */
    enum encoding encoding;
    enum compression compression;
    uint64_t skip; /* bytes before the first value of each part, once uncompressed */
    bool trailer;  /* other things than values follow them in the file, and are no error */
    struct {
        bool base64, deflate; /* deflate: in blocks, with VTK's table of their sizes before them */
        uint8_t count_bytes;  /* of an integer in that table, or of the byte count in its place: 4 or 8 */
    } vtk;

    /* The parts follow one another along the slowest axes, and hold equal numbers of values. A reader adds at least one, or
     * sets zarr. */
    struct layout_part *parts; /* owned */
    size_t part_count;

    double direction[3][3], origin[3]; /* as in struct volume */
    double slope, intercept;
    char unit[VOLUME_UNIT];  /* as in struct volume */
    enum volume_world world; /* as in struct volume */
    bool density;            /* as in struct volume */
    char note[256];          /* what was assumed, converted or ignored; as in struct volume */
    bool finer;              /* of several levels, a coarser one was chosen for want of memory */
    struct zarr *zarr;       /* owned; the chunks that hold the values, in place of parts; NULL: none */
    char *temporary;         /* owned; a folder to remove with its files when the layout is freed; NULL: none */
};

/* Starts a layout: unit directions, slope 1, x fastest, then y, z, components, frames; sizes 0, which the reader must set
 * (absent axes are 1 already: components and frames). */
void layout_begin(struct layout *layout);

/* Frees what the layout owns, removes its temporary folder, zeroes it. */
void layout_free(struct layout *layout);

/* Adds the rest of the header's own file, from byte `offset` on. Errors: ERR_INPUT for an offset past the end (of a
 * compressed file, nobody knows where that is), ERR_FAILED. */
int layout_add_self(struct layout *layout, const struct source *header, uint64_t offset, struct err *err);

struct layout_file {   /* that a header names */
    const char *name;  /* relative to the header's folder */
    const char *field; /* where the name stands, for messages, as in "data file" */
    uint64_t offset;   /* of its first byte that is taken */
    bool anywhere;     /* it may lie outside that folder */
};

/* Adds a file. It must be a regular one, in the folder of `header` or below, with links followed, unless it may lie
 * anywhere, and not the header itself. Errors: ERR_INPUT, ERR_FAILED. */
int layout_add_file(struct layout *layout, const struct source *header, const struct layout_file *file, struct err *err);

/* Opens part `i` at its offset: a copy of `header` for the header's own file, which layout_close_part knows. */
int layout_open_part(const struct layout *layout, size_t i, const struct source *header, struct source *part,
                     struct err *err);
void layout_close_part(const struct layout *layout, size_t i, struct source *part);

/* Makes the components vary fastest, before the axes in their order. */
void layout_interleave(struct layout *layout);

/* Straight axes with these distances between voxels. */
void layout_set_spacing(struct layout *layout, const double spacing[3]);

/* Bytes of all values, before compression, without the skipped ones; 0 if an axis is 0 or the product leaves 63 bits. */
uint64_t layout_bytes(const struct layout *layout);

/* Checks what no reader has to: sizes, orders, directions that span a volume, finite numbers. Unknown or useless positions
 * (NaN, directions in one plane) are replaced, with a note. Every layout passes through it before a voxel is read. `name`
 * is the file's, for messages. Error: ERR_INPUT. */
int layout_check(struct layout *layout, const char *name, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
