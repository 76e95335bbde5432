/* Reading and writing at a place: in parts, interrupted, past the end, and where the system does nothing; and how a place is
 * told. */
#include "check.h"
#include "file_io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What the next calls of pread and pwrite do, a letter each: a part of what was asked, EINTR, nothing, EIO; then all of
 * it. */
static const char *due = "";

static ssize_t answer(ssize_t (*call)(size_t n), size_t n)
{
    const char now = *due ? *due++ : 'a';
    if (now == 'i' || now == 'e') errno = now == 'i' ? EINTR : EIO;
    return now == 'p' ? call(n > 3 ? 3 : n) : now == 'a' ? call(n) : now == '0' ? 0 : -1;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names (--wrap) */
ssize_t __real_pread(int file, void *to, size_t n, off_t at);
ssize_t __wrap_pread(int file, void *to, size_t n, off_t at);
ssize_t __real_pwrite(int file, const void *from, size_t n, off_t at);
ssize_t __wrap_pwrite(int file, const void *from, size_t n, off_t at);

static struct {
    int file;
    void *to;
    const void *from;
    off_t at;
} now;

static ssize_t really_read(size_t n) { return __real_pread(now.file, now.to, n, now.at); }
static ssize_t really_write(size_t n) { return __real_pwrite(now.file, now.from, n, now.at); }

ssize_t __wrap_pread(int file, void *to, size_t n, off_t at)
{
    now.file = file, now.to = to, now.at = at;
    return answer(really_read, n);
}

ssize_t __wrap_pwrite(int file, const void *from, size_t n, off_t at)
{
    now.file = file, now.from = from, now.at = at;
    return answer(really_write, n);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static bool writes(int file, const char *text, uint64_t at, const char *calls)
{
    check_subject(calls);
    due = calls;
    errno = 0;
    return file_write_at(file, text, strlen(text), at);
}

static bool reads(int file, char to[16], size_t n, uint64_t at, const char *calls)
{
    check_subject(calls);
    due = calls;
    errno = ENOENT;
    memset(to, '.', 16);
    return file_read_at(file, to, n, at);
}

/* The place of a file is told with its folder. */
static void test_where(void)
{
    char where[FILE_WHERE], before[FILE_WHERE], want[2 * FILE_WHERE];
    const char *const whole = "/a/b.ply";
    CHECK(file_where(whole, where) == whole);
    if (!CHECK(getcwd(before, sizeof before) != NULL)) return;
    snprintf(want, sizeof want, "%s/b.ply", before);
    CHECK(!strcmp(file_where("b.ply", where), want));
    if (CHECK(!chdir("/"))) CHECK(!strcmp(file_where("b.ply", where), "/b.ply"));
    CHECK(!chdir(before));
}

int main(void)
{
    char name[] = "/tmp/iso_file_io_XXXXXX", got[16];
    const int file = mkstemp(name);
    if (!CHECK(file >= 0)) return check_summary("test_file_io");
    CHECK(writes(file, "0123456789", 0, "") && writes(file, "abcdefg", 4, "pip") && !*due);
    CHECK(reads(file, got, 11, 0, "ippi") && !memcmp(got, "0123abcdefg.....", 16) && !*due);
    CHECK(reads(file, got, 3, 8, "") && !memcmp(got, "efg.............", 16));
    CHECK(reads(file, got, 0, 99, "") && writes(file, "", 99, ""));
    CHECK(!reads(file, got, 4, 8, "") && errno == 0 && got[4] == '.'); /* the file ends before */
    CHECK(!reads(file, got, 9, 0, "pe") && errno == EIO);
    CHECK(!reads(-1, got, 1, 0, "") && errno == EBADF);
    CHECK(!writes(file, "xyz", 0, "ie") && errno == EIO && !*due);
    CHECK(!writes(file, "wxyz", 0, "p0") && errno == EIO && !*due); /* nothing was written: no endless loop */
    CHECK(!writes(-1, "x", 0, "") && errno == EBADF);
    CHECK(reads(file, got, 11, 0, "") && !memcmp(got, "wxy3abcdefg", 11));
    close(file);
    unlink(name);
    test_where();
    return check_summary("test_file_io");
}
