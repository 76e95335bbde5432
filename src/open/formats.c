#include "formats.h"

#include "folder.h"
#include "raw_sidecar.h"
#include "text.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool begins(const uint8_t *head, size_t n, const char *magic)
{
    return n >= strlen(magic) && !memcmp(head, magic, strlen(magic));
}

static bool has_at(const uint8_t *head, size_t n, size_t at, const char *magic)
{
    return n >= at && begins(head + at, n - at, magic);
}

static bool has_text(const uint8_t *text, size_t n, const char *part)
{
    return memmem(text, n, part, strlen(part)) != NULL;
}

static bool probe_nrrd(const uint8_t *head, size_t n) { return begins(head, n, "NRRD0"); }

static bool probe_tiff(const uint8_t *head, size_t n)
{
    static const char *const magics[] = { "II*\0", "MM\0*", "II+\0", "MM\0+" }; /* the last two are BigTIFF */
    for (int i = 0; i < 4; i++)
        if (n >= 4 && !memcmp(head, magics[i], 4)) return true;
    return false;
}

static bool probe_nifti(const uint8_t *head, size_t n)
{
    return has_at(head, n, 344, "n+1") || has_at(head, n, 344, "ni1") || has_at(head, n, 4, "n+2") ||
           has_at(head, n, 4, "ni2");
}

/* Whether a line of text begins with `key`, in any case, followed by a colon or an equals sign. */
static bool has_key(const uint8_t *head, size_t n, const char *key)
{
    const size_t length = strlen(key);
    for (size_t at = 0; at + length < n; at++) {
        if ((at && head[at - 1] != '\n') || strncasecmp((const char *)head + at, key, length) != 0) continue;
        for (at += length; at < n && (head[at] == ' ' || head[at] == '\t');) at++;
        if (at < n && (head[at] == ':' || head[at] == '=')) return true;
    }
    return false;
}

static bool probe_metaimage(const uint8_t *head, size_t n) { return has_key(head, n, "NDims"); }

static bool probe_qvis(const uint8_t *head, size_t n)
{
    return has_key(head, n, "ObjectFileName") || has_key(head, n, "RawFile");
}

static bool probe_mrc(const uint8_t *head, size_t n) { return has_at(head, n, 208, "MAP"); }

static bool probe_npy(const uint8_t *head, size_t n) { return begins(head, n, "\x93NUMPY"); }
static bool probe_vtk(const uint8_t *head, size_t n) { return begins(head, n, "# vtk DataFile"); }
static bool probe_vti(const uint8_t *head, size_t n) { return has_text(head, n, "<VTKFile"); }
static bool probe_dx(const uint8_t *head, size_t n) { return has_text(head, n, "class gridpositions"); }

static bool probe_hdf5(const uint8_t *head, size_t n) { return begins(head, n, "\x89HDF\r\n\x1a\n"); }
static bool probe_openvdb(const uint8_t *head, size_t n) { return begins(head, n, " BDV"); }
static bool probe_netcdf(const uint8_t *head, size_t n) { return begins(head, n, "CDF\x01") || begins(head, n, "CDF\x02"); }
static bool probe_png(const uint8_t *head, size_t n) { return begins(head, n, "\x89PNG\r\n\x1a\n"); }
static bool probe_jpeg(const uint8_t *head, size_t n) { return begins(head, n, "\xff\xd8\xff"); }
static bool probe_gif(const uint8_t *head, size_t n) { return begins(head, n, "GIF87a") || begins(head, n, "GIF89a"); }
static bool probe_zip(const uint8_t *head, size_t n) { return begins(head, n, "PK\x03\x04"); }

/* A ZIP file that begins with a NumPy array. */
static bool probe_npz(const uint8_t *head, size_t n)
{
    if (n < 30 || !probe_zip(head, n)) return false;
    const size_t end = 30 + (size_t)(head[26] | head[27] << 8); /* of the name of the first file */
    return has_at(head, n, end - 4, ".npy");
}

static bool probe_bzip2(const uint8_t *head, size_t n) { return begins(head, n, "BZh") && has_at(head, n, 4, "1AY&SY"); }
static bool probe_xz(const uint8_t *head, size_t n)
{
    return begins(head, n,
                  "\xfd"
                  "7zXZ");
}
static bool probe_zstd(const uint8_t *head, size_t n) { return begins(head, n, "\x28\xb5\x2f\xfd"); }
static bool probe_state(const uint8_t *head, size_t n) { return begins(head, n, "isoscope state "); }

/* Advice for files of known formats that cannot be read. */
#define OPEN_FOLDER "give the folder that holds it, if it is one slice of a series"
#define TO_NPY "save the array with Python: numpy.save('volume.npy', array)"
#define TO_TIFF "convert it to OME-TIFF, for instance with bfconvert"
#define IS_MESH "give a volume; meshes open in a mesh viewer, such as MeshLab or ParaView"
#define IS_STATE "only the window and render open it; give the volume that it names after 'file ='"

/* Ordered from the strongest magic to the weakest. RAW has none and comes last. CONTRIBUTING.md says how to add a format. */
static const struct format formats[] = {
    { "NRRD", { ".nrrd", ".nhdr" }, probe_nrrd, read_nrrd },
    { "NumPy", { ".npy" }, probe_npy, read_npy },
    { "VTK", { ".vtk" }, probe_vtk, read_vtk, .array = true },
    { "VTI", { ".vti" }, probe_vti, read_vti, .array = true },
    { "TIFF", { ".tif", ".tiff", ".lsm", ".btf" }, probe_tiff, read_tiff },
    { "DICOM", { ".dcm", ".dicom", ".ima" }, dicom_probe, read_dicom, .series = true, .takes = dicom_takes },
    { "NIfTI", { ".nii", ".hdr", ".img" }, probe_nifti, read_nifti },
    { "MRC", { ".mrc", ".map", ".ccp4", ".mrcs", ".rec", ".st" }, probe_mrc, read_mrc },
    { "DX", { ".dx" }, probe_dx, read_dx },
    { "MetaImage", { ".mhd", ".mha" }, probe_metaimage, read_metaimage },
    { "QVis", { NULL }, probe_qvis, read_qvis }, /* no extension: .dat can be anything */
    { "CUBE", { ".cube", ".cub" }, NULL, read_cube },
    { "HDF5", { ".h5", ".hdf5", ".hdf", ".mnc", ".ims" }, probe_hdf5, NULL, TO_NPY },
    { "NetCDF", { ".nc" }, probe_netcdf, NULL, TO_NPY },
    { "OpenVDB", { ".vdb" }, probe_openvdb, NULL, TO_NPY },
    { "single PNG", { ".png" }, probe_png, NULL, OPEN_FOLDER },
    { "single JPEG", { ".jpg", ".jpeg" }, probe_jpeg, NULL, OPEN_FOLDER },
    { "GIF", { ".gif" }, probe_gif, NULL, "convert its pictures to a folder of PNG files" },
    { "microscope maker's", { ".czi", ".nd2", ".lif", ".oib", ".oif" }, NULL, NULL, TO_TIFF },
    { "FreeSurfer MGH", { ".mgh", ".mgz" }, NULL, NULL, "convert it with FreeSurfer: mri_convert IN.mgz OUT.nii" },
    { "NPZ", { ".npz" }, probe_npz, NULL, "unpack it first, each array is a .npy file: unzip" },
    { "ZIP", { ".zip" }, probe_zip, NULL, "unpack it first: unzip" },
    { "bzip2", { ".bz2" }, probe_bzip2, NULL, "uncompress it first: bunzip2 -k" },
    { "xz", { ".xz" }, probe_xz, NULL, "uncompress it first: xz -dk" },
    { "Zstandard", { ".zst" }, probe_zstd, NULL, "uncompress it first: zstd -dk" },
    { "mesh", { ".ply", ".stl", ".obj", ".glb", ".off", ".gltf" }, NULL, NULL, IS_MESH },
    { "isoscope's state", { ".state" }, probe_state, NULL, IS_STATE },
    { "RAW", { ".raw", ".bin", ".vol" }, NULL, read_raw, .takes = raw_sidecar_takes },
};

#define FORMATS (sizeof formats / sizeof formats[0])
#define RAW (&formats[FORMATS - 1])

const char *format_list(char *to, size_t capacity)
{
    size_t length = 0;
    to[0] = 0;
    for (size_t i = 0; i < FORMATS && length < capacity; i++)
        if (formats[i].read)
            length += (size_t)snprintf(to + length, capacity - length, "%s%s", length ? ", " : "", formats[i].name);
    return to;
}

static bool has_extension(const char *name, const struct format *format)
{
    for (int i = 0; i < 6 && format->extensions[i]; i++)
        if (text_ends(name, format->extensions[i])) return true;
    return false;
}

bool format_knows(const char *name)
{
    char inner[256];
    snprintf(inner, sizeof inner, "%s", name);
    if (text_ends(inner, ".gz")) inner[strlen(inner) - 3] = 0;
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].read && has_extension(inner, &formats[i])) return true;
    return false;
}

const struct format *format_find(const uint8_t *head, size_t n, const char *name, bool described)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i].probe && formats[i].probe(head, n)) return &formats[i];
    for (size_t i = 0; i < FORMATS; i++)
        if (has_extension(name, &formats[i]) && (formats[i].read || !described)) return &formats[i];
    return described ? RAW : NULL;
}

bool format_is_raw(const struct format *format) { return format == RAW; }

/* ---- folders ------------------------------------------------------------------------------------------------------- */

static bool holds(const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return !access(path, F_OK);
}

static const char *const zarr_files[] = { "zarr.json", ".zarray", ".zgroup", ".zattrs" };

bool format_is_zarr(const char *path)
{
    bool is = false;
    for (int i = 0; i < 4 && !is; i++) is = holds(path, zarr_files[i]);
    return is;
}

bool format_is_zarr_file(const char *name)
{
    bool is = false;
    for (int i = 0; i < 4 && !is; i++) is = !strcmp(name, zarr_files[i]);
    return is;
}

static bool is_n5(const char *path) { return holds(path, "attributes.json"); }

/* Whether the file `info` describes a volume. Older versions do not name its type. */
static bool is_precomputed(const char *path)
{
    struct source info;
    char name[PATH_MAX + 32];
    uint8_t text[4 * FORMAT_HEAD];
    snprintf(name, sizeof name, "%s/info", path);
    if (source_open(&info, name, NULL)) return false;
    const size_t n = source_read(&info, text, sizeof text);
    source_close(&info);
    return has_text(text, n, "\"neuroglancer_multiscale_volume\"") ||
           (has_text(text, n, "\"scales\"") && has_text(text, n, "\"data_type\""));
}

static bool is_any(const char *path) { return (void)path, true; }

static const struct {
    struct format format;
    bool (*is)(const char *path);
} folders[] = {
    { { .name = "Zarr", .read = read_zarr, .array = true, .takes = folder_is_above }, format_is_zarr },
    { { .name = "N5", .advice = TO_NPY }, is_n5 },
    { { .name = "Neuroglancer precomputed", .advice = TO_NPY }, is_precomputed },
    { { .name = "DICOM", .read = read_dicom, .series = true, .takes = dicom_takes }, dicom_is_in },
    { { .name = "a folder of slices", .read = read_slices, .takes = slices_hold }, is_any },
};

const char *format_of_folder(const char *path)
{
    const struct format *const format = format_find_folder(path);
    return format->read && (format->read != read_slices || slices_are_in(path)) ? format->name : NULL;
}

const struct format *format_find_folder(const char *path)
{
    size_t i = 0;
    while (!folders[i].is(path)) i++; /* the last row matches any folder */
    return &folders[i].format;
}
