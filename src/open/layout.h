/* Layout: what a file's header says. It tells where the values lie, how they are packed, what they mean, and where the
 * volume lies in the world. Each format has a reader that fills a layout without reading a voxel. voxels.c then reads the
 * voxels for all formats. */
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
#define LAYOUT_MIN_LENGTH 1e-15 /* of a voxel's edge, whoever sets it; squares of lengths beyond do not fit a float */
#define LAYOUT_MAX_LENGTH 1e15

enum compression {
    COMPRESSION_NONE,
    COMPRESSION_DEFLATE, /* in a gzip or zlib wrapper */
    COMPRESSION_BZIP2
};

/* How uncompressed bytes become values. */
enum encoding {
    ENCODING_BINARY, /* values of `type` in the byte order of `big_endian` */
    ENCODING_TEXT,   /* decimal numbers separated by white space or commas */
    ENCODING_HEX,    /* two digits per byte, then as binary */
    ENCODING_VTK,    /* a data array of a VTK XML file; `vtk` says which kind */
    ENCODING_TIFF,   /* pages of a TIFF file, decoded by libtiff */
    ENCODING_IMAGE   /* one PNG or JPEG file per slice, decoded by stb_image */
};

/* A range of bytes of a file, or all its pages. */
struct layout_part {
    char *path;      /* owned; NULL: the header's own file */
    uint64_t offset; /* of the first byte */
    uint64_t bytes;  /* from there on; compressed bytes if the layout is compressed */
};

struct layout {
    uint64_t size[AXIS_COUNT]; /* values along each axis; absent axes: 1. None is 0 once set */
    uint8_t order[AXIS_COUNT]; /* enum layout_axis, fastest varying first, each once */
    const struct stored_type *type;
    bool big_endian; /* binary, hex and vtk */
    bool fractions;  /* text: values of 8 bits, each divided by 255 */
    enum encoding encoding;
    enum compression compression;
    uint64_t skip; /* bytes before the first value of each part, counted uncompressed */
    bool trailer;  /* other data may follow the values in the file without an error */
    struct {
        bool base64, deflate; /* deflate: in blocks, preceded by VTK's table of their sizes */
        uint8_t count_bytes;  /* of an integer in that table, or of the byte count that stands there instead: 4 or 8 */
    } vtk;

    /* The parts follow one another along the slowest axes and hold equal numbers of values. A reader adds at least one
     * part, or sets zarr. */
    struct layout_part *parts; /* owned */
    size_t part_count;

    double direction[3][3], origin[3]; /* as in struct volume */
    double slope, intercept;
    char unit[VOLUME_UNIT];  /* as in struct volume */
    enum volume_world world; /* as in struct volume */
    bool density;            /* as in struct volume */
    char note[256];          /* what was assumed, converted or ignored; as in struct volume */
    bool finer;              /* the file has finer levels, but memory allowed only this one */
    uint64_t all[3];         /* a coarser level of an image: size of the level that counts, and */
    double every[3];         /* where value i along x, y, z is in it: at first + every * i */
    double first[3];
    struct zarr *zarr; /* owned; the chunks that hold the values, instead of parts; NULL: none */
    char *temporary;   /* owned; a folder that layout_free removes with its files; NULL: none */
};

/* Starts a layout with unit directions, slope 1, and this order: x fastest, then y, z, components, frames. Components and
 * frames have size 1; x, y and z have 0, and the reader must set them. */
void layout_begin(struct layout *layout);

/* Frees what the layout owns, removes its temporary folder, and zeroes the layout. */
void layout_free(struct layout *layout);

/* Adds the rest of the header's own file, from byte `offset` on. Errors: ERR_INPUT if the offset is past the end (not
 * checked for a compressed file, whose end is unknown), ERR_FAILED. */
int layout_add_self(struct layout *layout, const struct source *header, uint64_t offset, struct err *err);

struct layout_file {   /* named by a header */
    const char *name;  /* relative to the header's folder */
    const char *field; /* the header field with the name, for messages, as in "data file" */
    uint64_t offset;   /* of the first byte to use */
    bool anywhere;     /* the file may lie outside that folder */
};

/* Adds a file. It must be a regular file and not the header itself. Unless `anywhere` is set, it must lie in the folder of
 * `header` or below, after links are followed. Errors: ERR_INPUT, ERR_FAILED. */
int layout_add_file(struct layout *layout, const struct source *header, const struct layout_file *file, struct err *err);

/* Opens part `i` at its offset. For the header's own file, `part` becomes a copy of `header`; layout_close_part knows this
 * case. */
int layout_open_part(const struct layout *layout, size_t i, const struct source *header, struct source *part,
                     struct err *err);
void layout_close_part(const struct layout *layout, size_t i, struct source *part);

/* Makes the components vary fastest; the other axes keep their order. */
void layout_interleave(struct layout *layout);

/* Sets straight axes with these distances between voxels. */
void layout_set_spacing(struct layout *layout, const double spacing[3]);

/* Bytes of all values, uncompressed and without the skipped bytes. 0: an axis is 0, or the product exceeds 63 bits. */
uint64_t layout_bytes(const struct layout *layout);

/* Checks what the readers do not: sizes, orders, directions that span a volume, finite numbers. Positions that are unknown
 * or useless (NaN, directions in one plane) are replaced, with a note; a negative slope is noted, too. Every layout is
 * checked before a voxel is read. `name` is the file's, for messages. Error: ERR_INPUT. */
int layout_check(struct layout *layout, const char *name, struct err *err);

#ifdef __cplusplus
}
#endif
#endif
