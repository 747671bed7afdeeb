/* A temporary file beside the target, synced and renamed; see output.h. */
#define _DEFAULT_SOURCE /* getentropy and realpath */
#include "io/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"

enum { most_tries = 100, RANDOM_DIGITS = 16 };

static gersh_status fail_errno(const char *path, int code)
{
    return gersh__fail_errno(code, path, "cannot be written");
}

static void clear(gersh__output *output)
{
    gersh__free(output->path);
    gersh__free(output->target);
    gersh__free(output->temporary);
    *output = (gersh__output){0};
}

/* Whether the open file is a regular one of this user's, and still the one of that name. */
static int is_own(int file, const char *path)
{
    struct stat opened, named;
    return fstat(file, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino && S_ISREG(opened.st_mode) && opened.st_nlink == 1 &&
           opened.st_uid == geteuid();
}

/* Whether the entry of a folder is named like a temporary file of the target `name`. */
static int is_temporary(const char *entry, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(entry, name, length) != 0 || entry[length] != '.')
        return 0;
    const char *digits = entry + length + 1;
    return strspn(digits, "0123456789abcdef") == RANDOM_DIGITS &&
           strcmp(digits + RANDOM_DIGITS, ".tmp") == 0;
}

/* Removes the file unless a process has it locked. O_NONBLOCK and O_NOFOLLOW: for pipes and links of that name. */
static void remove_stale(const char *path)
{
    int file = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_own(file, path))
        unlink(path);
    close(file);
}

/* Removes what processes that were killed while they wrote this target have left, so that it does not add up. */
static void sweep(const char *target)
{
    char path[PATH_MAX] = ".";
    const char *slash = strrchr(target, '/'), *name = slash != NULL ? slash + 1 : target;
    size_t folder = (size_t)(name - target);
    if (strlen(target) + RANDOM_DIGITS + sizeof "..tmp" > sizeof path)
        return;
    memcpy(path, target, folder);
    DIR *entries = opendir(path);
    for (struct dirent *e = NULL; entries != NULL && (e = readdir(entries)) != NULL;)
        if (is_temporary(e->d_name, name)) {
            snprintf(path + folder, sizeof path - folder, "%s", e->d_name);
            remove_stale(path);
        }
    if (entries != NULL)
        closedir(entries);
}

/*
 * A new file, locked for as long as it is open; -1 with an errno. Between opening and locking another process may take
 * it for one that was left behind: EEXIST then too.
 */
static int make_temporary(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 || (flock(file, LOCK_EX | LOCK_NB) == 0 && is_own(file, path)))
        return file;
    close(file);
    errno = EEXIST;
    return -1;
}

/*
 * A new file beside the target, with the mode of the file that it will replace. Its name cannot be guessed, and O_EXCL
 * follows no link: in a folder that others may write to, nobody can put something there beforehand.
 */
static gersh_status open_temporary(int *file, gersh__output *output, const struct stat *old)
{
    size_t size = strlen(output->target) + 64;
    uint64_t random;
    output->temporary = gersh__alloc(size, 1);
    if (output->temporary == NULL)
        return GERSH_ERROR_MEMORY;
    *file = -1;
    sweep(output->target);
    errno = EEXIST;
    for (int i = 0; i < most_tries && *file < 0 && errno == EEXIST; i++) {
        if (getentropy(&random, sizeof random) != 0)
            break;
        snprintf(output->temporary, size, "%s.%0*" PRIx64 ".tmp", output->target, RANDOM_DIGITS, random);
        *file = make_temporary(output->temporary);
    }
    if (*file < 0) {
        int code = errno;
        gersh__free(output->temporary);
        output->temporary = NULL;
        return fail_errno(output->path, code);
    }
    if (old != NULL)
        (void)!fchmod(*file, old->st_mode & 0777); /* a file system without modes may refuse */
    return GERSH_OK;
}

/* The file that is written: links are followed, so that they stay. */
static gersh_status resolve(gersh__output *output, const char *path, int regular)
{
    char *real = regular ? realpath(path, NULL) : NULL;
    if (regular && real == NULL)
        return fail_errno(path, errno);
    const char *target = real != NULL ? real : path;
    output->path = gersh__text_copy(path, strlen(path));
    output->target = gersh__text_copy(target, strlen(target));
    free(real);
    return output->path != NULL && output->target != NULL ? GERSH_OK : GERSH_ERROR_MEMORY;
}

gersh_status gersh__output_open(gersh__output *output, const char *path)
{
    struct stat old;
    int file = -1, exists = stat(path, &old) == 0;
    *output = (gersh__output){0};
    if (*path == '\0')
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the name of the file to write is empty");
    if (exists && S_ISDIR(old.st_mode))
        return gersh__fail(GERSH_ERROR_IO, "%s: is a directory; name a file in it", path);
    if (exists && access(path, W_OK) != 0)
        return fail_errno(path, errno);
    gersh_status status = resolve(output, path, exists && S_ISREG(old.st_mode));
    if (status == GERSH_OK && (!exists || S_ISREG(old.st_mode))) {
        status = open_temporary(&file, output, exists ? &old : NULL);
    } else if (status == GERSH_OK) {
        file = open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0)
            status = fail_errno(path, errno);
    }
    if (status == GERSH_OK) {
        output->file = fdopen(file, "wb");
        if (output->file != NULL) {
            errno = 0; /* at the end it is that of a failed write */
            return GERSH_OK;
        }
        status = fail_errno(path, errno);
        if (output->temporary != NULL)
            unlink(output->temporary);
        close(file);
    }
    clear(output);
    return status;
}

/* The folder's entry is to survive a crash as well; where a folder cannot be synced, nothing is lost. */
static void sync_folder(const char *target)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(target, '/');
    size_t length = slash == NULL ? 1 : slash == target ? 1 : (size_t)(slash - target);
    if (length >= sizeof folder)
        return;
    memcpy(folder, slash == NULL ? "." : target, length);
    folder[length] = '\0';
    int file = open(folder, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)!fsync(file);
        close(file);
    }
}

/* The temporary file takes the target's place, or goes; both while it is still locked. */
gersh_status gersh__output_close(gersh__output *output, gersh_status status)
{
    if (output->file == NULL)
        return status;
    int code = 0;
    if (fflush(output->file) != 0 || ferror(output->file))
        code = errno != 0 ? errno : EIO;
    if (code == 0 && output->temporary != NULL && fsync(fileno(output->file)) != 0)
        code = errno;
    if (status == GERSH_OK && code == 0 && output->temporary != NULL &&
        rename(output->temporary, output->target) != 0)
        code = errno;
    if (output->temporary != NULL && (status != GERSH_OK || code != 0))
        unlink(output->temporary);
    else if (output->temporary != NULL)
        sync_folder(output->target);
    if (fclose(output->file) != 0 && code == 0 && output->temporary == NULL)
        code = errno; /* what was renamed is on the disk already */
    if (status == GERSH_OK && code != 0)
        status = fail_errno(output->path, code);
    clear(output);
    return status;
}

gersh_status gersh__output_try(const char *path)
{
    gersh__output output = {0};
    gersh_status status = gersh__output_open(&output, path);
    if (status == GERSH_OK)
        gersh__output_close(&output, GERSH_ERROR_CANCELLED);
    return status;
}
