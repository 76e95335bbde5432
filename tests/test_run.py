"""run.sh with and without an NVIDIA GPU, with and without nvcc: what it prints, and when it configures again.

Usage: test_run.py SOURCE. Runs copies of run.sh and packages.sh in a folder of their own, with a PATH of stand-ins."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
TOOLS = ("bash", "cat", "chmod", "dirname", "grep", "id", "mkdir", "mktemp", "nproc", "rm")
HAS_DRIVER = pathlib.Path("/proc/driver/nvidia/version").exists()
CMAKE = """#!/bin/bash
echo "$*" >> "$HOME/cmake.log"
if [ "$1" = --preset ]; then mkdir -p build; echo "$CACHE" > build/CMakeCache.txt; exit 0; fi
printf '#!/bin/bash\\necho opened "$@"\\n' > "$2/isoscope"
chmod +x "$2/isoscope"
"""


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="isoscope-run-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.path = self.folder / "bin"
        self.path.mkdir()
        for tool in TOOLS:
            (self.path / tool).symlink_to(shutil.which(tool))
        for name in ("run.sh", "packages.sh"):
            shutil.copy(SOURCE / name, self.folder)
        self.put("cmake", CMAKE)
        self.put("dpkg-query", "#!/bin/bash\nprintf installed\n")

    def put(self, name, text="#!/bin/bash\n"):
        (self.path / name).write_text(text)
        (self.path / name).chmod(0o755)

    def bash(self, *words, cache="", **environment):
        done = subprocess.run([self.path / "bash", *words], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={"PATH": str(self.path), "HOME": str(self.folder), "CUDA_PATH": str(self.folder),
                                   "DISPLAY": ":0", "CACHE": cache} | environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def run_it(self, **how):
        done = self.bash("run.sh", "head.nrrd", **how)
        self.assertEqual(done.stdout, "opened head.nrrd\n")
        return [line for line in done.stderr.splitlines() if "nvcc" in line]

    def configured(self):
        return (self.folder / "cmake.log").read_text().count("--preset release")

    def test_a_gpu_without_nvcc_is_told_in_one_line(self):
        self.put("nvidia-smi")
        for _ in range(2):
            said = self.run_it()
            self.assertEqual(len(said), 1, said)
            self.assertIn("install nvidia-cuda-toolkit g++-11 (apt", said[0])
        self.assertEqual(self.configured(), 1)

    def test_without_apt_the_toolkit_is_named(self):
        self.put("nvidia-smi")
        (self.path / "dpkg-query").unlink()
        self.assertIn("NVIDIA's CUDA toolkit 11.8 or newer", self.run_it()[0])

    @unittest.skipIf(HAS_DRIVER, "there is an NVIDIA GPU here")
    def test_without_a_gpu_nothing_is_said(self):
        (self.folder / "pci").mkdir()
        self.assertEqual(self.bash("-c", ". ./packages.sh; suggest_cuda pci").stderr, "")

    def test_with_nvcc_nothing_is_said(self):
        self.put("nvidia-smi")
        self.put("my-nvcc")
        self.assertEqual(self.run_it(CUDACXX="my-nvcc"), [])
        self.assertEqual(len(self.run_it()), 1)
        (self.folder / "bin" / "nvcc").symlink_to("my-nvcc")  # in PATH, and in CUDA_PATH's bin
        self.assertEqual(self.run_it(), [])
        (self.folder / "bin").rename(self.folder / "tools")
        (self.folder / "bin").mkdir()
        (self.folder / "tools" / "nvcc").rename(self.folder / "bin" / "nvcc")
        shutil.copy(self.folder / "tools" / "my-nvcc", self.folder / "bin")
        self.path = self.folder / "tools"
        self.assertEqual(self.run_it(), [])  # in CUDA_PATH alone

    def test_cuda_is_built_for_the_gpus_that_are_here(self):
        self.put("nvcc")
        self.run_it(cache="CMAKE_CUDA_COMPILER:FILEPATH=/usr/bin/nvcc")
        self.put("nvidia-smi", "#!/bin/bash\n[ \"$*\" = -L ]\n")
        self.run_it(cache="unread")
        for cache, more in (("", {}), ("", {"CUDAARCHS": "86"})):
            shutil.rmtree(self.folder / "build")
            self.run_it(cache=cache, **more)
        configured = [line for line in (self.folder / "cmake.log").read_text().splitlines() if "--preset" in line]
        self.assertEqual(configured, ["--preset release -DISO_WINDOW=ON -DCMAKE_CUDA_ARCHITECTURES=75-virtual",
                                      "--preset release -DISO_WINDOW=ON -DCMAKE_CUDA_ARCHITECTURES=native", "--preset release -DISO_WINDOW=ON"])

    def test_nvcc_that_came_later_is_used(self):
        self.run_it()
        self.put("nvcc")
        self.run_it(cache="CMAKE_CUDA_COMPILER:FILEPATH=/usr/bin/nvcc")
        self.run_it(cache="unread")
        self.assertEqual(self.configured(), 2)

    def test_cuda_that_was_switched_off_stays_off(self):
        self.run_it(cache="ISO_CUDA:STRING=OFF")
        self.put("nvcc")
        self.run_it()
        self.assertEqual(self.configured(), 1)

    @unittest.skipIf(HAS_DRIVER, "there is an NVIDIA GPU here")
    def test_a_gpu_is_known_by_its_pci_vendor_and_class(self):
        for vendor, device_class, is_gpu in (("0x10de", "0x030000", True), ("0x10de", "0x030200", True),
                                             ("0x10de", "0x040300", False), ("0x8086", "0x030000", False)):
            with self.subTest(vendor=vendor, device_class=device_class):
                device = self.folder / "pci" / "0000:01:00.0"
                device.mkdir(parents=True, exist_ok=True)
                (device / "vendor").write_text(vendor + "\n")
                (device / "class").write_text(device_class + "\n")
                said = self.bash("-c", ". ./packages.sh; suggest_cuda pci").stderr
                self.assertEqual(said.count("\n"), int(is_gpu), said)


if __name__ == "__main__":
    unittest.main(verbosity=1)
