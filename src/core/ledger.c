#include "ledger.h"

#include "file_io.h"
#include "replace.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { NAME = 32 }; /* bytes of the name of a file in it, with the slash, at most */

const char *ledger_path(char to[PATH_MAX], const struct ledger *l, const char *name, long part)
{
    char number[24] = "";
    if (part >= 0) snprintf(number, sizeof number, ".%ld", part + 1);
    snprintf(to, PATH_MAX, "%.*s/%s%s", PATH_MAX - NAME - 24, l->folder, name, number);
    return to;
}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

/* Sets an error that shows the line in which they differ. */
static int refuse_job(const struct ledger *l, const char *old, const char *new, struct err *err)
{
    for (size_t n; *old && *new && (n = strcspn(old, "\n")) == strcspn(new, "\n") && !strncmp(old, new, n);)
        old += n + (old[n] == '\n'), new += n + (new[n] == '\n');
    err_set(err, ERR_USAGE, "%s was begun with '%.*s', but this command is '%.*s'", l->folder, (int)strcspn(old, "\n"), old,
            (int)strcspn(new, "\n"), new);
    err_advise(err, "repeat that command, or delete the folder to start again");
    return ERR_USAGE;
}

/* Writes the job atomically, because several processes may do it at once. */
static int write_job(const char *path, const char *job, struct err *err)
{
    struct replace replace;
    if (replace_open(&replace, path, err)) return ERR_FAILED;
    return replace_close(&replace, fputs(job, replace.file) >= 0, err);
}

/* Whether the ledger is finished and is being removed. The job is then gone already, but the `finish` record remains. */
static bool was_finished(const struct ledger *l)
{
    uint64_t totals[3];
    bool is;
    const bool read = !ledger_is_finished(l, &is, totals, NULL);
    errno = ENOENT;
    return read && is;
}

static int check_job(const struct ledger *l, const char *job, bool exists, struct err *err)
{
    char path[PATH_MAX], old[LEDGER_JOB];
    FILE *file = fopen(ledger_path(path, l, "job", -1), "rb");
    if (!file && errno == ENOENT && !exists) {
        const int code = write_job(path, job, err);
        if (code) return code;
        file = fopen(path, "rb");
    }
    if (!file) return errno == ENOENT && was_finished(l) ? ERR_NONE : file_refuse(path, "read", err);
    old[fread(old, 1, sizeof old - 1, file)] = '\0';
    const bool read = !ferror(file);
    fclose(file);
    if (!read) return file_refuse(path, "read", err);
    return strcmp(old, job) ? refuse_job(l, old, job, err) : ERR_NONE;
}

/* Without the folder nobody can tell what the target is: it may be an earlier surface. */
static int refuse_absent(const struct ledger *l, const char *path, struct err *err)
{
    struct stat status;
    if (stat(l->target, &status))
        return err_set(err, ERR_FAILED, "%s: no such folder, so no part of %s has been counted: begin with --phase count",
                       l->folder, path);
    err_set(err, ERR_FAILED, "%s does not exist, but %s does", l->folder, path);
    err_advise(err, "if it was finished before, nothing is left to do; otherwise begin with --phase count");
    return ERR_FAILED;
}

uint32_t ledger_number(const char *job) { return (uint32_t)crc32_z(0, (const Bytef *)job, strlen(job)); }

int ledger_open(struct ledger *l, const char *path, const char *job, bool exists, struct err *err)
{
    memset(l, 0, sizeof *l);
    if (!replace_target(l->target, path) || strlen(l->target) >= PATH_MAX - 2 * NAME) {
        errno = ENAMETOOLONG;
        return file_refuse(path, "written", err);
    }
    snprintf(l->folder, sizeof l->folder, "%.*s.parts", PATH_MAX - 2 * NAME, l->target);
    l->job = ledger_number(job);
    struct stat status;
    if (exists) (void)rmdir(l->folder); /* an empty folder is left from an interrupted removal */
    if (exists && stat(l->folder, &status)) return refuse_absent(l, path, err);
    if (!exists && mkdir(l->folder, 0777) && errno != EEXIST) return file_refuse(l->folder, "made", err);
    return check_job(l, job, exists, err);
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

struct finish {
    uint64_t file, device, totals[3];
    bool is;
};

static int take_finish(void *context, const struct journal_record *r, struct err *err)
{
    struct finish *f = context;
    (void)err;
    f->is = r->n == sizeof f->totals;
    f->file = r->begin, f->device = r->end;
    if (f->is) memcpy(f->totals, r->bytes, sizeof f->totals);
    return ERR_NONE;
}

int ledger_note_finish(const struct ledger *l, const uint64_t totals[3], struct err *err)
{
    char path[PATH_MAX];
    struct stat status;
    struct journal journal;
    struct finish last = { .is = false };
    const struct journal_take take = { take_finish, &last };
    if (stat(ledger_path(path, l, "surface", -1), &status)) return file_refuse(path, "read", err);
    int code = journal_open(&journal, ledger_path(path, l, "finish", -1), l->job, &take, err);
    if (code) return code;
    const struct journal_record r = { status.st_ino, status.st_dev, 3 * sizeof *totals, (const uint8_t *)totals };
    code = journal_append(&journal, &r, err);
    journal_close(&journal);
    return code;
}

int ledger_is_finished(const struct ledger *l, bool *is, uint64_t totals[3], struct err *err)
{
    char path[PATH_MAX];
    struct stat status;
    struct finish last = { .is = false };
    const struct journal_take take = { take_finish, &last };
    *is = false;
    const int code = journal_read(ledger_path(path, l, "finish", -1), l->job, &take, err);
    if (code) return code;
    *is = last.is && !stat(l->target, &status) && status.st_ino == last.file && status.st_dev == last.device;
    if (*is) memcpy(totals, last.totals, sizeof last.totals);
    return ERR_NONE;
}

int ledger_remove(const struct ledger *l, struct err *err)
{
    char path[PATH_MAX];
    DIR *folder = opendir(l->folder);
    bool fine = folder || errno == ENOENT; /* another process may be removing it, too */
    const struct dirent *entry;
    while (folder && fine && (entry = readdir(folder)))
        if (*entry->d_name != '.' && strcmp(entry->d_name, "finish") != 0 && strlen(entry->d_name) < NAME)
            fine = !unlink(ledger_path(path, l, entry->d_name, -1)) || errno == ENOENT;
    if (folder) closedir(folder);
    if (fine) fine = !unlink(ledger_path(path, l, "finish", -1)) || errno == ENOENT; /* last: it tells what happened */
    if (fine) fine = !rmdir(l->folder) || errno == ENOENT;
    return fine ? ERR_NONE : file_refuse(l->folder, "removed", err);
}
