/* Values from a PNG or JPEG file, which is decoded as a whole. */
#include "decode.h"

#include "image_decode.h"

#include <stdlib.h>
#include <string.h>

struct state {
    uint8_t *values; /* owned */
    size_t at;
};

static int check_shape(const struct decoder *decoder, const uint8_t *file, size_t size, struct image_shape *shape,
                       struct err *err)
{
    const struct layout *layout = decoder->layout;
    if (image_describe(file, size, shape) && shape->width == layout->size[AXIS_X] &&
        shape->height == layout->size[AXIS_Y] && shape->components == layout->size[AXIS_COMPONENT] &&
        shape->bytes == layout->type->bytes)
        return ERR_NONE;
    return err_set(err, ERR_INPUT, "%s: the file has changed since its header was read", source_name(&decoder->source));
}

static int decode_file(struct decoder *decoder, const uint8_t *file, size_t size, struct err *err)
{
    struct state *s = decoder->state;
    struct image_shape shape;
    const char *why;
    const int code = check_shape(decoder, file, size, &shape, err);
    if (code) return code;
    s->values = image_decode_values(file, size, &shape, &why);
    return s->values ? ERR_NONE
                     : err_set(err, ERR_INPUT, "%s: its pixels cannot be decoded: %s", source_name(&decoder->source), why);
}

static void image_end(struct decoder *decoder)
{
    struct state *s = decoder->state;
    free(s->values);
    free(s);
}

static int image_begin(struct decoder *decoder, struct err *err)
{
    const char *name = source_name(&decoder->source);
    const uint64_t size = decoder->source.size, need = size + 2 * decoder->part_bytes;
    if (need > decoder->memory && need > DECODE_FREE_BYTES)
        return err_set(err, ERR_FAILED, "%s: not enough memory to decode it: it takes %.1f MiB", name,
                       (double)need / 1048576.0);
    uint8_t *file = malloc(size ? (size_t)size : 1);
    decoder->state = calloc(1, sizeof(struct state));
    decoder->unpack.left = 0; /* no byte is left over */
    int code = file && decoder->state ? ERR_NONE : err_set(err, ERR_FAILED, "%s: not enough memory to decode it", name);
    if (!code && source_read(&decoder->source, file, (size_t)size) != size)
        code = err_set(err, ERR_INPUT, "%s: cannot be read", name);
    if (!code) code = decode_file(decoder, file, (size_t)size, err);
    free(file);
    if (code && decoder->state) image_end(decoder);
    return code;
}

static int image_read(struct decoder *decoder, void *to, size_t n, size_t *got, struct err *err)
{
    struct state *s = decoder->state;
    const size_t left = (size_t)decoder->part_bytes - s->at;
    (void)err;
    *got = n < left ? n : left;
    memcpy(to, s->values + s->at, *got);
    s->at += *got;
    return ERR_NONE;
}

const struct decoding decoding_image = {
    .native = true, .most = decode_library_most, .open = image_begin, .read = image_read, .close = image_end
};
