#!/usr/bin/env python3
"""Compares the volume readers with the libraries that people read these formats with: every voxel, and the world coordinates
of the eight corners.

    python3 tests/peers/readers.py build/dump_volume [FOLDER]

The libraries write small volumes of every type and kind that they know, and read them again; FOLDER may hold real files that
they can read too. isoscope must give the same values, to the last bit of float32, and the same corners to a millionth of a
voxel. This is not part of the tests. The libraries come from PyPI; one that is not installed is left out and named:

    python3 -m venv /tmp/readers && /tmp/readers/bin/pip install numpy nibabel pynrrd SimpleITK vtk tifffile mrcfile
    /tmp/readers/bin/python tests/peers/readers.py build/dump_volume
"""
import gzip
import importlib
import itertools
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

TYPES = ("uint8", "int8", "uint16", "int16", "int32", "float32", "float64")
RAS_TO_LPS = np.diag([-1.0, -1.0, 1.0])
program = os.path.abspath(sys.argv[1])
folder = tempfile.mkdtemp(prefix="isoscope-readers-")
passed, failed, skipped = 0, 0, []
random = np.random.default_rng(20261122)


def path(name):
    return os.path.join(folder, name)


def some(shape, kind):
    """Values in numpy's order (z, y, x, ...) that use the whole range of integer types."""
    if np.dtype(kind).kind == "f":
        return random.normal(size=shape).astype(kind)
    info = np.iinfo(kind)
    return random.integers(info.min, info.max, size=shape, endpoint=True).astype(kind)


def oblique():
    """Directions (columns) of a rotated, anisotropic volume, and its spacing."""
    a, b = 0.3, -0.5
    turn = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    tilt = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    return turn @ tilt, np.array([0.5, 0.75, 2.0])


def check(name, file, values, affine=None, frame=0, component=0, rounded=False):
    """values: (z, y, x), real units; affine: 3 x 4, from (x, y, z) to the world as isoscope has it, or None: not compared."""
    global passed, failed
    done = subprocess.run([program, file, path("out"), str(frame), str(component)], capture_output=True, text=True)
    if done.returncode:
        failed += 1
        print(f"FAILED {name}: {done.stderr.strip()}")
        return
    got = json.loads(done.stdout)
    voxels = np.fromfile(path("out"))
    wrong = []
    if got["dims"] != list(values.shape[::-1]):
        wrong.append(f"dims {got['dims']}, not {list(values.shape[::-1])}")
    else:
        voxels, wanted = voxels.reshape(values.shape), np.asarray(values, float)
        voxels = np.rint(voxels) if rounded else voxels
        close = np.isclose(voxels, wanted, rtol=1.2e-7, atol=0, equal_nan=True)
        if not close.all():
            at = tuple(np.argwhere(~close)[0])
            wrong.append(f"{np.count_nonzero(~close)} voxels, the first at {at}: {voxels[at]}, not {wanted[at]}")
    if affine is not None and not wrong:
        direction, origin = np.array(got["direction"]).reshape(3, 3), np.array(got["origin"])
        size = np.linalg.norm(affine[:, :3], axis=0).min()
        for corner in itertools.product(*[(0, n - 1) for n in got["dims"]]):
            mine, theirs = direction @ corner + origin, affine[:, :3] @ corner + affine[:, 3]
            if not np.abs(mine - theirs).max() <= 1e-6 * max(size, np.abs(theirs).max()):
                wrong.append(f"corner {corner} at {mine}, not {theirs}")
                break
    failed, passed = failed + bool(wrong), passed + (not wrong)
    if wrong:
        print(f"FAILED {name}: {'; '.join(wrong)}")


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        skipped.append(name)
        return None


# ---- one function per library: writes, reads, compares --------------------------------------------------------------------


def read_nibabel(nibabel, file):
    """Values (z, y, x), or (t, z, y, x), and the affine in LPS."""
    image = nibabel.load(file)
    values = np.asarray(image.dataobj).astype(float)
    return values.transpose(range(values.ndim)[::-1]), RAS_TO_LPS @ image.affine[:3]


def check_nibabel():
    nibabel = library("nibabel")
    if not nibabel:
        return
    turn, spacing = oblique()
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = turn * spacing, (-10.5, 20, 3)
    for version, kind, end in itertools.product((nibabel.Nifti1Image, nibabel.Nifti2Image), TYPES, (".nii", ".nii.gz")):
        file = path(f"a{end}")
        image = version(some((5, 4, 3), kind), affine, dtype=kind)
        image.to_filename(file)
        check(f"nibabel {version.__name__} {kind} {end}", file, *read_nibabel(nibabel, file))
    for order, codes in itertools.product("<>", ((1, 0), (0, 1), (2, 1), (0, 0))):
        header = nibabel.Nifti1Header(endianness=order)
        header.set_data_dtype(np.dtype("int16").newbyteorder(order))
        image = nibabel.Nifti1Image(some((6, 3, 4), "int16"), affine, header)
        image.set_sform(affine, codes[0])
        image.set_qform(affine, codes[1])
        image.header.set_slope_inter(0.25, -7)
        if codes == (0, 0):
            image = nibabel.Nifti1Image(np.asarray(image.dataobj), None, image.header)
        image.to_filename(path("b.nii"))
        values, world = read_nibabel(nibabel, path("b.nii"))
        check(f"nibabel order {order} sform, qform {codes}", path("b.nii"), values, None if codes == (0, 0) else world)
    nibabel.Nifti1Pair(some((3, 4, 5), "float32"), affine).to_filename(path("pair.img"))
    check("nibabel pair", path("pair.hdr"), *read_nibabel(nibabel, path("pair.img")))
    nibabel.Nifti1Image(some((3, 4, 5, 3), "uint8"), affine).to_filename(path("four.nii.gz"))
    values, world = read_nibabel(nibabel, path("four.nii.gz"))
    for t in range(3):
        check(f"nibabel frame {t}", path("four.nii.gz"), values[t], world, frame=t)


def read_itk(itk, file):
    image = itk.ReadImage(file)
    affine = np.column_stack([np.array(image.GetDirection()).reshape(3, 3) * np.array(image.GetSpacing()),
                              image.GetOrigin()])
    return itk.GetArrayFromImage(image), affine


def check_itk():
    itk = library("SimpleITK")
    if not itk:
        return
    turn, spacing = oblique()
    for kind, end, packed in itertools.product(TYPES, (".mha", ".mhd", ".nrrd", ".nhdr", ".nii"), (False, True)):
        image = itk.GetImageFromArray(some((3, 4, 5), kind))
        image.SetDirection(turn.flatten())
        image.SetSpacing(spacing)
        image.SetOrigin((-100.25, 30, 7.5))
        itk.WriteImage(image, path(f"c{end}"), packed)
        values, world = read_itk(itk, path(f"c{end}"))
        check(f"SimpleITK {kind} {end}{' compressed' * packed}", path(f"c{end}"), values, world)
    for end in (".mha", ".nrrd"):
        image = itk.GetImageFromArray(some((3, 4, 5, 3), "int16"), isVector=True)
        itk.WriteImage(image, path(f"d{end}"))
        for component in range(3):
            values, world = read_itk(itk, path(f"d{end}"))
            check(f"SimpleITK vector {end} {component}", path(f"d{end}"), values[..., component], world, component=component)


def check_nrrd():
    nrrd = library("nrrd")
    if not nrrd:
        return
    turn, spacing = oblique()
    for kind, encoding, order in itertools.product(TYPES, ("raw", "ascii", "gzip", "bzip2"), ("little", "big")):
        values = some((4, 3, 5), kind).astype(np.dtype(kind).newbyteorder("<" if order == "little" else ">"))
        header = {"encoding": encoding, "endian": order, "space": "right-anterior-superior",
                  "space directions": (turn * spacing).T, "space origin": [1.5, -2, 3]}
        nrrd.write(path("e.nrrd"), values, header)
        read, fields = nrrd.read(path("e.nrrd"))
        world = RAS_TO_LPS @ np.column_stack([fields["space directions"].T, fields["space origin"]])
        check(f"pynrrd {kind} {encoding} {order}", path("e.nrrd"), read.transpose(2, 1, 0), world)
    for detached in (".nhdr",):
        nrrd.write(path(f"f{detached}"), some((4, 3, 5), "int16"), {"encoding": "gzip", "spacings": [1, 2, 3]},
                   detached_header=True)
        read, _ = nrrd.read(path(f"f{detached}"))
        check("pynrrd detached", path(f"f{detached}"), read.transpose(2, 1, 0), np.column_stack([np.diag([1, 2, 3]), [0, 0, 0]]))


def check_mrc():
    mrcfile = library("mrcfile")
    if not mrcfile:
        return
    for kind in ("int8", "int16", "uint16", "float32", "float16"):
        with mrcfile.new(path("g.mrc"), some((3, 4, 5), kind), overwrite=True) as file:
            file.voxel_size = (1.5, 1.5, 2.5)
            file.header.origin = (10, 20, 30)
        with mrcfile.open(path("g.mrc")) as file:
            size, origin = file.voxel_size, file.header.origin
            affine = np.column_stack([np.diag([float(size.x), float(size.y), float(size.z)]),
                                      [float(origin.x), float(origin.y), float(origin.z)]])
            check(f"mrcfile {kind}", path("g.mrc"), file.data.astype(float), affine)


def check_tiff():
    tifffile = library("tifffile")
    if not tifffile:
        return
    ways = {"plain": {}, "big": {"bigtiff": True}, "big-endian": {"byteorder": ">"}, "deflate": {"compression": "zlib"},
            "lzw": {"compression": "lzw"}, "packbits": {"compression": "packbits"}, "tiles": {"tile": (16, 16)},
            "predictor": {"compression": "zlib", "predictor": True}, "strips": {"rowsperstrip": 3},
            "ome": {"ome": True, "metadata": {"axes": "ZYX", "PhysicalSizeX": 0.5, "PhysicalSizeY": 0.5, "PhysicalSizeZ": 2.0,
                                              "PhysicalSizeXUnit": "µm"}}}
    for (name, way), kind in itertools.product(ways.items(), ("uint8", "uint16", "int16", "float32")):
        try:
            tifffile.imwrite(path("h.tif"), some((7, 33, 20), kind), photometric="minisblack", **way)
        except (ImportError, ValueError) as error:
            skipped.append(f"tifffile {name} {kind} ({error})")
            continue
        world = np.column_stack([np.diag([0.5, 0.5, 2.0]), [0, 0, 0]]) if name == "ome" else None
        check(f"tifffile {name} {kind}", path("h.tif"), tifffile.imread(path("h.tif")), world)
    for kind in ("uint8", "uint16", "float32"):
        values = some((2, 5, 3, 17, 20), kind)  # TZCYX
        tifffile.imwrite(path("i.tif"), values, imagej=True, resolution=(2, 4),
                         metadata={"axes": "TZCYX", "spacing": 3.0, "unit": "um"})
        for t, c in itertools.product(range(2), range(3)):
            check(f"tifffile ImageJ {kind} frame {t} channel {c}", path("i.tif"), values[t, :, c],
                  np.column_stack([np.diag([0.5, 0.25, 3.0]), [0, 0, 0]]), t, c)


def read_vtk(vtk, reader):
    from vtk.util.numpy_support import vtk_to_numpy
    reader.Update()
    image = reader.GetOutput()
    x, y, z = image.GetDimensions()
    values = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(z, y, x)
    direction = np.array([[image.GetDirectionMatrix().GetElement(i, j) for j in range(3)] for i in range(3)])
    first = [0.0, 0.0, 0.0]
    image.TransformIndexToPhysicalPoint(*image.GetExtent()[::2], first)
    return values, np.column_stack([direction * np.array(image.GetSpacing()), first])


def check_vtk():
    vtk = library("vtk")
    if not vtk:
        return
    from vtk.util.numpy_support import numpy_to_vtk
    for kind in TYPES:
        image = vtk.vtkImageData()
        image.SetDimensions(5, 4, 3)
        image.SetSpacing(0.5, 1, 2)
        image.SetOrigin(-1, 7, 3.25)
        array = numpy_to_vtk(some((3, 4, 5), kind).ravel(), deep=True)
        array.SetName("density")
        image.GetPointData().SetScalars(array)
        for ascii_ in (True, False):
            writer = vtk.vtkDataSetWriter()
            writer.SetInputData(image)
            writer.SetFileName(path("j.vtk"))
            writer.SetFileTypeToASCII() if ascii_ else writer.SetFileTypeToBinary()
            writer.Write()
            reader = vtk.vtkStructuredPointsReader()
            reader.SetFileName(path("j.vtk"))
            # bytes become COLOR_SCALARS, whose text holds six digits of a 255th
            check(f"vtk legacy {kind} {'ascii' if ascii_ else 'binary'}", path("j.vtk"), *read_vtk(vtk, reader),
                  rounded=ascii_ and kind == "uint8")
        turn, _ = oblique()
        image.SetDirectionMatrix(*turn.flatten())
        for mode, packed, base64, wide, big in itertools.product(("Ascii", "Binary", "Appended"), (False, True), (False, True),
                                                                 (False, True), (False, True)):
            writer = vtk.vtkXMLImageDataWriter()
            writer.SetInputData(image)
            writer.SetFileName(path("k.vti"))
            getattr(writer, f"SetDataModeTo{mode}")()
            writer.SetEncodeAppendedData(base64)
            writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
            writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
            writer.SetCompressorTypeToZLib() if packed else writer.SetCompressorTypeToNone()
            writer.SetBlockSize(64)
            writer.Write()
            reader = vtk.vtkXMLImageDataReader()
            reader.SetFileName(path("k.vti"))
            check(f"vtk XML {kind} {mode}{' compressed' * packed}{' base64' * base64}{' 64-bit' * wide}{' big-endian' * big}",
                  path("k.vti"), *read_vtk(vtk, reader))


def check_numpy():
    for kind, order, fortran in itertools.product(TYPES, "<>", (False, True)):
        values = some((3, 4, 5), kind).astype(np.dtype(kind).newbyteorder(order))
        np.save(path("l.npy"), np.asfortranarray(values) if fortran else values)
        read = np.load(path("l.npy"))  # x varies fastest, which is the first axis of a Fortran array, as nibabel's are
        check(f"numpy {kind} {order}{' Fortran' * fortran}", path("l.npy"), read.transpose(2, 1, 0) if fortran else read)


def check_folder(real):
    """The real files that a library reads."""
    nibabel, itk = library("nibabel"), library("SimpleITK")
    for root, _, files in os.walk(real):
        for name in sorted(files):
            file = os.path.join(root, name)
            try:
                if name.endswith((".nii", ".nii.gz")) and nibabel:
                    values, world = read_nibabel(nibabel, file)
                    check(name, file, values if values.ndim == 3 else values[0], world)
                elif name.endswith((".mha", ".mhd", ".nrrd", ".nhdr")) and itk:
                    check(name, file, *read_itk(itk, file))
            except RuntimeError as error:
                skipped.append(f"{name} ({str(error).strip().splitlines()[-1]})")


if __name__ == "__main__":
    for part in (check_numpy, check_nibabel, check_itk, check_nrrd, check_mrc, check_tiff, check_vtk):
        before = passed, failed
        part()
        print(f"{part.__name__}: {passed - before[0]} passed, {failed - before[1]} failed", flush=True)
    if len(sys.argv) > 2:
        check_folder(sys.argv[2])
    for name in sorted(set(skipped)):
        print(f"skipped: {name}")
    print(f"{passed} passed, {failed} failed; files in {folder}")
    sys.exit(failed > 0)
