#!/usr/bin/env python3
"""Files in the window: one that cannot be read, RAW files without a shape, the folder's next file, recent files, a file that
changes. Usage: test_files.py ISOSCOPE"""
import os
import re
import shutil
import time
from unittest import mock

import drive
from drive import INPUT, OK, WindowTest


class Files(WindowTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sphere = cls.synth("sphere", 24, "ball.nrrd")  # three small volumes of different dims
        cls.torus = cls.synth("torus", 26, "ring2.nrrd")
        cls.gyroid = cls.synth("gyroid", 28, "ring10.nrrd")
        with open(cls.path("notes.txt"), "w") as file:
            file.write("no volume\n")
        with open(cls.path("cube.raw"), "wb") as file:  # 16^3 voxels, half of them inside: the name has no shape
            file.write(bytes(range(256)) * 16)
        os.mkdir(cls.path("raws"))
        shutil.move(cls.path("cube.raw"), cls.path("raws/cube.raw"))

    def loaded(self, window, name, since=0):
        return window.wait_for(rf"load {name}: (\d+)x", since)

    def test_first_file_missing(self):
        window = self.start("nowhere.nrrd")
        window.wait_for(r"nowhere\.nrrd: no such file[\s\S]*widget error: ")
        window.xdo("key", "Escape")  # closes the message
        window.settle()
        window.xdo("key", "ctrl+q")
        window.ends(INPUT)

    def test_an_empty_window_sleeps(self):
        window = self.start("nowhere.nrrd", "--size", drive.SIZE)
        window.wait_for(r"nowhere\.nrrd: no such file")
        window.settle()
        before, woken = self.processor_ms(window), self.times_woken(window)
        time.sleep(1)
        self.assertLess(self.processor_ms(window) - before, 200)
        self.assertLess(self.times_woken(window) - woken, 10)
        window.xdo("key", "ctrl+q")
        window.ends(INPUT)

    def times_woken(self, window):
        """How often the window's thread has gone to sleep so far."""
        with open(f"/proc/{window.process.pid}/status") as file:
            return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M)[1])

    def processor_ms(self, window):
        """What the window's process has used so far."""
        with open(f"/proc/{window.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()  # the name before may have blanks
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_started_by_a_launcher(self):
        """Started in /, the program writes its pictures into the user's folder, and still finds its file."""
        home = self.path("home")
        self.launch(home)
        name = self.window.press("F12", r"screenshot (\S+)\n")[1]
        self.assertTrue(os.path.exists(os.path.join(home, name)))

    def test_a_rung_is_found_from_the_root_folder(self):
        """Its path is relative to the folder where the program was started."""
        with open(self.path("my.c"), "w") as file:
            file.write(self.run_program("ladder", "classify", "--template").stdout)
        self.launch(self.path("home of rungs"), "--rung-file", os.path.relpath(self.path("my.c"), "/"))
        self.window.wait_for(r"rung file my\.c: compiled and checked")

    def test_pictures_have_a_folder(self):
        """Started by a launcher, the program uses the folder that the desktop names, unless it does not exist or is the home folder.
        Several pictures have different names."""
        for i, (line, place) in enumerate((('"$HOME/My\\ .pictures/"', "My .pictures"), ('"/nowhere/at/all"', ""), ('"$HOME/"', ""),
                                           ('"relative"', ""), ('"$HOME/kept"\nXDG_PICTURES_DIR="$HOME/torn', "kept"))):
            home = self.path(f"home {i}")
            os.makedirs(os.path.join(home, ".config"))
            if place:
                os.mkdir(os.path.join(home, place))
            with open(os.path.join(home, ".config/user-dirs.dirs"), "w") as file:
                file.write(f'# XDG_PICTURES_DIR="$HOME/no"\nXDG_MUSIC_DIR="$HOME/no"\nXDG_PICTURES_DIR={line}\n')
            self.launch(home)
            for _ in range(2):
                self.window.press("F12", r"screenshot (.+)\n")
            names = [os.path.basename(name) for name in re.findall(r"screenshot (.+)\n", self.window.log())]
            self.assertEqual(len(set(names)), 2, names)
            self.assertEqual(sorted(names), sorted(n for n in os.listdir(os.path.join(home, place)) if n.endswith(".png")))
            self.window.stop()

    def launch(self, home, *words):
        """Starts the program in / as a desktop does, for a user whose folder is `home`."""
        os.makedirs(home, exist_ok=True)
        environment = {**os.environ, **drive.NO_LEAKS, "DISPLAY": self.display, "HOME": home}
        environment.pop("XDG_CONFIG_HOME", None)
        start = ["sh", "-c", 'cd / && exec "$0" "$@"', drive.program, os.path.relpath(self.sphere, "/"), "--verbose", *drive.more]
        self.window = drive.Window([*start, *words], environment, self.folder)
        self.addCleanup(self.window.stop)
        if not self.window.wait_for(drive.FULL) and self.window.wait_for_end(1) == drive.NO_GL:
            self.skipTest("no OpenGL")

    def test_raw_is_asked_for(self):
        window = self.start(self.path("raws/cube.raw"))
        window.wait_for(r"import .*cube\.raw: 4096 bytes")
        window.settle()
        window.click("import open", r"open .*cube\.raw")
        self.assertEqual(self.loaded(window, r"cube\.raw")[1], "16")
        window.wait_for(drive.FULL)
        window.quit()

    def test_raw_without_a_likely_shape(self):
        """The box says how much of the file would be left unread."""
        os.mkdir(self.path("odd"))
        with open(self.path("odd/odd.raw"), "wb") as file:
            file.write(bytes(262147))  # a prime; 64^3 voxels are there
        window = self.start(self.path("odd/odd.raw"))
        window.wait_for("widget 3 bytes after the voxels")
        window.settle()
        window.press("Return", r"load odd\.raw: 64x64x64")
        window.quit()

    def test_raw_is_not_opened(self):
        window, _ = self.open(self.sphere)
        window.quit()
        window = self.start(self.path("raws/cube.raw"))
        window.wait_for(r"widget import open")
        window.settle()
        since = window.mark()
        window.press("Escape", r"draw |widget")
        window.settle()
        self.assertFalse(window.says(r"load cube", since))
        window.click("recent 0", r"load ball\.nrrd: 24x")
        window.quit()

    def open_list(self):
        """A window that shows ball.nrrd, on a desktop without a dialog for files, and the list that stands in for one."""
        programs = self.path("programs")
        if not os.path.isdir(programs):
            os.makedirs(self.path("raws/deep/deeper"))
            os.mkdir(programs)
            os.symlink(shutil.which("xdotool"), os.path.join(programs, "xdotool"))
        with mock.patch.dict(os.environ, PATH=programs):
            window, _ = self.open(self.sphere)
        window.settle()
        window.press("ctrl+o", r"browse /")
        window.settle()
        return window

    def test_list_takes_keys(self):
        """Typed letters choose a name, and nothing behind the list changes."""
        window = self.open_list()
        since = window.mark()
        for letter, found in (("r", "r"), ("i", "ri"), ("n", "rin"), ("g", "ring"), ("1", "ring1")):
            window.press(letter, f"browse finds '{found}'\n")
        for key in ("Delete", "Insert", "Tab", "Home", "Up", "Down"):
            window.xdo("key", key)
        window.settle()
        self.assertFalse(window.says(r"(?m)^ *\S+ (?:rung|surface|view|fit|help|iso|export|not now)[^\n]*", since))
        for i, letter in enumerate("RING1"):
            window.press(letter, f"browse finds '{'RING1'[:i + 1]}'\n")
        window.press("Return", r"load ring10\.nrrd")
        window.press("ctrl+o", r"browse /")
        window.settle()
        window.xdo("key", "Escape")
        window.press("h", r"help on")
        window.quit()

    def test_list_opens_just_what_is_typed(self):
        """Once a letter fits no name, Enter opens only a file of exactly the typed name, or nothing."""
        window = self.open_list()
        since = window.mark()
        for letter, says in zip("nring", ("misses 'n'", "misses 'nr'", "misses 'nri'", "misses 'nrin'", "misses 'nring'")):
            window.press(letter, f"browse {says}\n")
        window.press("Return", "")
        window.settle()
        self.assertFalse(window.says(r"load |open ", since), "ring was not asked for")
        for _ in range(5):  # until nothing is typed
            window.xdo("key", "BackSpace")
        window.press("r", r"browse finds 'r'\n")
        window.xdo("key", "Down")
        window.xdo("type", "--delay", "30", "notes.txt")
        window.wait_for(r"browse misses 'notes\.txt'\n")
        window.press("Return", r"isoscope: notes\.txt: not in a format")
        window.quit()

    def test_list_goes_through_folders(self):
        window = self.open_list()
        for folder in ("raws", "deep"):
            window.press(folder[0], r"browse finds")
            window.press("Return", rf"browse {re.escape(os.path.realpath(self.folder))}/.*{folder}\n")
        window.press("BackSpace", r"browse /.*/raws\n")
        window.press("Return", r"browse /.*/raws/deep\n")  # it was left last
        window.press("slash", r"browse /\n")
        top = os.path.realpath(self.folder).split("/")[1]
        for letter in top:
            window.press(letter, r"browse finds")
        window.press("slash", rf"browse /{re.escape(top)}\n")
        window.quit()

    def test_enter_opens_raw(self):
        window = self.start(self.path("raws/cube.raw"))
        window.wait_for(r"widget import open")
        window.settle()
        since = window.mark()
        for key in ("s", "Delete", "slash", "h"):
            window.xdo("key", key)
        window.settle()
        self.assertFalse(window.says(r"(?:rung|surface|help|not now)[^\n]*", since))
        window.press("Return", r"open .*cube\.raw")
        self.assertEqual(self.loaded(window, r"cube\.raw")[1], "16")
        window.quit()

    def test_step_through_folder(self):
        window, _ = self.open(self.sphere)
        for key, name in [("Next", r"ring2\.nrrd"), ("Next", r"ring10\.nrrd"), ("Prior", r"ring2\.nrrd")]:  # 2 before 10
            window.press(key, rf"load {name}")
        since = window.mark()
        window.press("Next", r"load ring10")
        window.xdo("key", "Next")  # the last: notes.txt is no volume
        window.settle()
        self.assertFalse(window.says(r"load (?!ring10)", since))
        window.quit()

    def test_step_past_a_file_without_a_shape(self):
        """After Esc in the box that asks for the shape, the next step goes on from there, in both directions."""
        os.mkdir(self.path("shapes"))
        for name in ("a.nrrd", "c.nrrd"):
            shutil.copy(self.torus, self.path(f"shapes/{name}"))
        with open(self.path("shapes/b.raw"), "wb") as file:
            file.write(bytes(1000))
        window, _ = self.open(self.path("shapes/a.nrrd"))
        for key, name in (("Next", "c"), ("Prior", "a")):
            window.press(key, r"import \S*b\.raw")
            window.xdo("key", "Escape")
            window.settle()
            window.press(key, rf"load {name}\.nrrd")
            window.settle()
        window.quit()

    def test_a_file_that_does_not_open(self):
        """What is copied, saved and remembered then, and the next frame, are of the volume that is still shown."""
        os.mkdir(self.path("two"))
        head = "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 16 16 8 2\nkinds: space space space time\nencoding: raw\n\n"
        for name, voxels in (("a.nrrd", bytes(range(256)) * 16), ("b.nrrd", b"cut off")):
            with open(self.path(f"two/{name}"), "wb") as file:
                file.write(head.encode() + voxels)
        path = os.path.realpath(self.path("two/a.nrrd"))
        window, _ = self.open(path, "--iso", "99.5", "--frame", "1", "--smooth", "1.5mm")
        window.press("Next", r"b\.nrrd: .*cut off")
        copied = window.press("ctrl+c", r"copied (.*)\n")[1]
        self.assertIn(f"render {path} --frame 1 --iso 99.5 --smooth 1.5mm ", copied)
        window.press("ctrl+s", r"state a_frame1\.state")
        with open(self.path("a_frame1.state")) as file:
            self.assertIn(f"file = {path}\n", file.read())
        window.press("u", r"up \+y")
        with open(self.path(f"state {self.id()}/isoscope/recent")) as file:
            self.assertEqual(file.read(), f"+y {path}\n")
        window.press("ctrl+Next", r"load a\.nrrd: .*frame 0 of 2")
        window.quit()

    def test_turn_is_remembered(self):
        window, _ = self.open(self.torus)
        window.press("u", r"up \+y")
        window.press("Prior", r"load ball")
        window.press("u", r"up \+y")  # the other file began with +z again
        window.press("Next", r"load ring2")
        window.press("u", r"up -y")  # this one with +y
        window.quit()
        window, _ = self.open(self.torus)
        window.press("u", r"up -z")
        window.quit()

    def test_recent(self):
        window, _ = self.open(self.gyroid)
        window.quit()
        window, _ = self.open(self.sphere)
        window.click("recent", r"widget recent 1:")
        window.settle()
        window.click("recent 1", r"load ring10\.nrrd")
        window.quit()

    def test_a_long_name(self):
        """It is broken into lines, and the buttons after it are below."""
        os.mkdir(self.path("long"))
        path = self.path(f"long/{'long name ' * 20}.nrrd")
        shutil.copy(self.sphere, path)
        window, _ = self.open(path)
        for button in ("open", "recent"):
            self.assertLess(window.point(button, 1)[0], window.point("scene", 0)[0], button)
        window.click("recent", r"widget recent 0:")
        window.quit()

    def test_recent_with_a_mark_of_dear_imgui(self):
        """Behind '##', it shows nothing of a label. The list is as wide as the whole name."""
        os.mkdir(self.path("marks"))
        path = self.path(f"marks/a##{60 * 'n'}.nrrd")
        shutil.copy(self.torus, path)
        window, _ = self.open(path)
        window.click("recent", r"widget recent 0:")
        window.settle()
        self.assertGreater(window.point("recent 0", 1)[0] - window.point("recent 0", 0)[0], 60 * 5)
        window.click("recent 0", r"load a##n+\.nrrd")
        window.quit()

    def test_recent_with_a_newline(self):
        """Neither a path with a newline nor what its lines would name is in the list."""
        os.mkdir(self.path("lines"))
        for name in ("a\nb.nrrd", "c.nrrd"):
            shutil.copy(self.torus, self.path(f"lines/{name}"))
        window, _ = self.open(self.path("lines/a\nb.nrrd"))
        window.press("Next", r"load c\.nrrd")
        window.press("u", r"up \+y")
        window.quit()
        with open(self.path(f"state {self.id()}/isoscope/recent")) as file:
            self.assertEqual(file.read(), f"+y {os.path.realpath(self.path('lines/c.nrrd'))}\n")

    def test_preview_of_a_large_file(self):
        """Files over 1 GiB are shown in part before they are read."""
        n, path = 1040, self.path("large_1040x1040x1040_uint8.raw")  # a sparse file, with a box of 255 in its middle
        self.addCleanup(os.remove, path)  # other tests step through this folder
        with open(path, "wb") as file:
            file.truncate(n ** 3)
            for z in range(400, 640):
                file.seek((z * n + 400) * n)
                file.write((bytes(400) + b"\xff" * 240 + bytes(400)) * 240)
        window = self.start(path, "--iso", "127", "--slice", "x=501", "--crop", "x=450:600")
        preview = window.wait_for(r"load large_\S+ (\d+)x\d+x\d+ uint8[^\n]*every (\d+)th voxel only")
        self.assertEqual(int(preview[1]), -(-n // int(preview[2])))
        first = window.wait_for(drive.FULL)
        whole = window.wait_for(r"load large_\S+ 1040x1040x1040 uint8", first.end())
        self.assertEqual(window.wait_for(drive.FULL, whole.end(), 600)[1], "127")  # sanitized, on a busy machine, over 120 s
        self.assertEqual(len(window.says(r"load large", 0)), 2)
        self.assertRegex(window.press("ctrl+c", r"copied (.*)\n")[1], r" --slice x=501 --crop x=450:600,")
        self.assertNotIn("isoscope: ", window.log())
        window.quit()

    def test_preview_of_a_large_image(self):
        """For a Zarr image over a quarter of that, a coarser level is shown before the chosen one."""
        n, path, image = 660, self.path("flat_660x660x660_uint8.raw"), self.path("large.zarr")
        with open(path, "wb") as file:
            file.truncate(n ** 3)
            for z in range(200, 440):
                file.seek((z * n + 200) * n)
                file.write((bytes(200) + b"\xff" * 240 + bytes(220)) * 240)
        self.assertEqual(self.run_program("pack", path, "-o", image).returncode, OK)
        os.remove(path)
        window = self.start(image, "--iso", "127")
        preview = window.wait_for(r"load large\.zarr: (\d+)x\d+x\d+ uint8[^\n]*level (\d) of 0 to \d\n")
        self.assertEqual(int(preview[1]), -(-n // 2 ** int(preview[2])))
        self.assertLessEqual(int(preview[1]) ** 3, 1 << 24)
        first = window.wait_for(drive.FULL)
        whole = window.wait_for(r"load large\.zarr: 660x660x660 uint8", first.end())
        self.assertEqual(window.wait_for(drive.FULL, whole.end())[1], "127")
        self.assertEqual(len(window.says(r"load large", 0)), 2)
        window.quit()
        shutil.rmtree(image)

    def test_more_than_memory_allows(self):
        """Every 2nd voxel is shown, and the window says so. Files are made of all voxels, with the same bytes as with more
        memory."""
        os.mkdir(self.path("large"))  # the other tests step through the folder
        path = self.synth("metaballs", 480, "large/many.nrrd")  # 105.5 MiB
        for name, values in (("one", "96.5"), ("both", "96.5,130.5")):
            done = self.run_program("extract", path, "--iso", values, "-o", self.path(f"large/{name}.ply"))
            self.assertEqual(done.returncode, OK, done.stderr)
        window = self.start(path, "--iso", "96.5,130.5", "--memory", "100M", "--size", "1280x800")
        window.wait_for(r"load many\.nrrd: 240x240x240 uint8[^\n]*every 2nd voxel only; all would need 105\.5 MiB of memory, and "
                        r"100\.0 MiB may be used")
        window.wait_for(drive.FULL)
        window.settle()
        found = window.click("scene", r"probe surface: voxel (\S+) (\S+) (\S+), at (\S+) (\S+) (\S+) from voxel 0, value", 0.5, 0.5)
        for voxel, at in zip(found.groups()[:3], found.groups()[3:]):  # those of the file, whose spacing is 1
            self.assertAlmostEqual(float(voxel), float(at), delta=0.01)
        self.assertGreater(max(map(float, found.groups()[:3])), 240)
        for name in ("both", "one"):
            file = self.path(window.press("e", r"export (\S+ply): ")[1])
            with open(file, "rb") as made, open(self.path(f"large/{name}.ply"), "rb") as wanted:
                self.assertTrue(made.read() == wanted.read(), name)
            if name == "both":
                window.press("Tab", "surface 1 of 2")
                window.press("Delete", "surface 1 removed")
                window.settle()
        window.click("caps", r"caps on")
        files = set(os.listdir(self.folder))
        window.press("e", "export: not slab by slab, because of closing the surface at the border")
        self.assertEqual(set(os.listdir(self.folder)), files)
        window.quit()
        picture = self.path("large/part.png")
        done = self.run_program("render", path, "--iso", "96.5", "--memory", "100M", "--samples", "1", "-o", picture)
        self.assertIn(done.returncode, (OK, drive.NO_GL))
        self.assertIn("many.nrrd: every 2nd voxel only; all would need 105.5 MiB of memory", done.stderr)

    def test_watch(self):
        path = self.path("watched.nrrd")
        shutil.copy(self.sphere, path)
        window, _ = self.open(path, "--watch", "--iso", "0.3")
        since = window.mark()
        time.sleep(0.5)  # longer than a look at the file takes to come: one that stays is not read again
        self.assertFalse(window.says(r"load ", since))
        shutil.copy(self.torus, path)
        self.assertEqual(self.loaded(window, r"watched\.nrrd", since)[1], "26")
        self.assertEqual(window.wait_for(drive.FULL, since)[1], "0.3")
        window.quit()

    def test_a_file_that_is_whole_again(self):
        """The message that it was cut off goes. Otherwise the first Escape would close it."""
        os.mkdir(self.path("grows"))
        path = self.path("grows/grows.nrrd")
        shutil.copy(self.sphere, path)
        window, _ = self.open(path, "--watch")
        window.press("l", "page lab")
        window.click("stage classify", "card classify")
        os.truncate(path, 1000)
        window.wait_for(r"the file is cut off[\s\S]*widget error: ")
        since = window.mark()
        shutil.copy(self.sphere, path)
        self.loaded(window, r"grows\.nrrd", since)
        window.settle()
        window.press("Escape", "card closed", 20)
        window.quit()

    def cut_off(self, whole, name):
        """The path of a copy that lacks its end."""
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(whole, path)
        os.truncate(path, 1000)
        return path

    def test_a_first_file_that_is_whole_later(self):
        """Its view is fitted as that of any first file."""
        path = self.cut_off(self.sphere, "late/late.nrrd")
        window = self.start(path, "--watch", "--size", drive.SIZE)
        window.wait_for(r"the file is cut off[\s\S]*widget error: ")
        shutil.copy(self.sphere, path)
        self.loaded(window, r"late\.nrrd")
        window.wait_for(drive.FULL)
        window.settle()
        window.click("scene", "probe surface")
        window.click("scene", "probe nothing", 0.02, 0.02)
        window.quit()

    def test_another_file_that_is_whole_later(self):
        """It is opened as any other file: with its own value, and nothing of the one before to undo."""
        path = self.cut_off(self.torus, "later/b.nrrd")
        shutil.copy(self.sphere, self.path("later/a.nrrd"))
        window, _ = self.open(self.path("later/a.nrrd"), "--watch", "--iso", "0.3")
        window.settle()
        window.press("1", "view 0 0")
        window.settle()
        window.press("Next", r"the file is cut off[\s\S]*widget error: ")
        since = window.mark()
        shutil.copy(self.torus, path)
        self.assertEqual(self.loaded(window, r"b\.nrrd", since)[1], "26")
        self.assertNotEqual(window.wait_for(drive.FULL, since)[1], "0.3")
        window.settle()
        window.press("ctrl+z", "there is nothing to undo")
        window.quit()


if __name__ == "__main__":
    drive.main()
