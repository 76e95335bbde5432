#include "tiff_scale.h"

#include "text.h"
#include "tiff_shape.h"

#include <math.h>
#include <string.h>
#include <tiffio.h>

static void read_resolution(struct tiff_scale *scale, TIFF *tiff)
{
    float resolution[2] = { 0, 0 };
    uint16_t unit;
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution[0]);
    TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &resolution[1]);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    scale->pixel_mm = unit == RESUNIT_INCH ? 25.4 : unit == RESUNIT_CENTIMETER ? 10 : 0;
    for (int a = 0; a < 2; a++)
        scale->pixel[a] = resolution[a] > 0 && isfinite(resolution[a]) ? 1 / (double)resolution[a] : 0;
}

int tiff_scale_read(struct tiff_scale *scale, struct tiff_file *file, const char *name, char note[256], struct err *err)
{
    const char *description = NULL;
    uint16_t orientation, colours = 0;
    TIFFGetField(file->tiff, TIFFTAG_IMAGEDESCRIPTION, &description);
    TIFFGetFieldDefaulted(file->tiff, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetField(file->tiff, TIFFTAG_PHOTOMETRIC, &colours);
    read_resolution(scale, file->tiff);
    if (orientation != ORIENTATION_TOPLEFT) text_note(note, "its orientation tag (%u) is ignored", orientation);
    if (colours == PHOTOMETRIC_PALETTE) text_note(note, "indices into a palette, whose colours are ignored");
    if (colours == PHOTOMETRIC_MINISWHITE) text_note(note, "its values grow from white to black");
    const int code = tiff_meta_parse(&scale->meta, description, name, note, err);
    tiff_shape_parse(&scale->meta, file, description, note);
    return code;
}

/* The default that programs write for screens if they do not know the size of pixels; also if rounded per centimetre. 0:
 * another resolution. */
static double default_dpi(const struct tiff_scale *scale)
{
    static const double screens[] = { 72, 96 };
    const double size = scale->pixel[0] * scale->pixel_mm;
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++)
        if (size > 0 && fabs(25.4 / size - screens[i]) < 0.1 && fabs(scale->pixel[1] / scale->pixel[0] - 1) < 1e-3)
            return screens[i];
    return 0;
}

/* Fills in unknown distances. */
static void assume(double spacing[3], struct layout *layout)
{
    const bool pixels = spacing[0] > 0, several = layout->size[AXIS_Z] > 1;
    if (!pixels) spacing[0] = 1;
    if (spacing[1] <= 0) spacing[1] = spacing[0];
    if (spacing[2] > 0) return;
    spacing[2] = spacing[0];
    if (!pixels) text_note(layout->note, "the size of its voxels is unknown; 1 assumed");
    else if (several)
        text_note(layout->note, "the distance of its slices is unknown; that of its pixels, %.6g, assumed", spacing[0]);
}

void tiff_scale_place(const struct tiff_scale *scale, struct layout *layout)
{
    const struct tiff_meta *meta = &scale->meta;
    double spacing[3] = { meta->spacing[0], meta->spacing[1], meta->spacing[2] };
    const bool described = meta->kind == TIFF_OME || (meta->kind == TIFF_IMAGEJ && *meta->unit);
    const double dpi = described ? 0 : default_dpi(scale);
    for (int a = 0; a < 2 && meta->kind != TIFF_OME && dpi == 0; a++)
        spacing[a] = scale->pixel[a] * (described ? meta->unit_scale : scale->pixel_mm > 0 ? scale->pixel_mm : 1);
    if (dpi > 0) text_note(layout->note, "its %g dpi, a default of programs, are ignored", dpi);
    if (described) memcpy(layout->unit, meta->unit, sizeof layout->unit);
    else if (scale->pixel_mm > 0 && spacing[0] > 0 && dpi == 0) memcpy(layout->unit, "mm", 3);
    assume(spacing, layout);
    layout_set_spacing(layout, spacing);
    layout->slope = meta->slope;
    layout->intercept = meta->intercept;
}
