/* A temporary file beside the target, synced and renamed; see output.h. */
#define _DEFAULT_SOURCE /* getentropy */
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
#include "gersh/file.h"

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
 * A new file, locked for as long as it is open; -1 with an errno. Another process may take it for one that was left behind
 * before it is locked: EEXIST then too. A file system without locks leaves it unlocked; nobody sweeps there either. Nor is its
 * owner asked for, which some file systems change.
 */
static int make_file(const char *path, mode_t mode)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0)
        return file;
    struct stat named;
    int swept = flock(file, LOCK_EX | LOCK_NB) != 0 ? errno == EWOULDBLOCK : lstat(path, &named) != 0;
    if (!swept)
        return file;
    unlink(path);
    close(file);
    errno = EEXIST;
    return -1;
}

/*
 * Makes output->temporary beside the target and opens it. Its name cannot be guessed, and O_EXCL follows no link: in a folder
 * that others may write to, nobody can put something there beforehand. Returns -1 with an errno.
 */
static int make_temporary(gersh__output *output, size_t size, mode_t mode)
{
    uint64_t random;
    int file = -1;
    errno = EEXIST;
    for (int i = 0; i < most_tries && file < 0 && errno == EEXIST; i++) {
        if (getentropy(&random, sizeof random) != 0)
            break;
        snprintf(output->temporary, size, "%s.%0*" PRIx64 ".tmp", output->target, RANDOM_DIGITS, random);
        file = make_file(output->temporary, mode);
    }
    return file;
}

/* The mode that a new file gets here, which only a new file shows: the umask cannot be read without changing it. */
static int find_mode(gersh__output *output, size_t size)
{
    struct stat info;
    int file = make_temporary(output, size, 0666);
    if (file < 0)
        return -1;
    int found = fstat(file, &info), code = errno;
    unlink(output->temporary);
    close(file);
    output->mode = info.st_mode & 0777;
    errno = code;
    return found;
}

/* A file beside the target that only this user can read until it has all its content, and then its mode. */
static gersh_status open_temporary(int *file, gersh__output *output, const struct stat *old)
{
    size_t size = strlen(output->target) + 64;
    output->temporary = gersh__alloc(size, 1);
    if (output->temporary == NULL)
        return GERSH_ERROR_MEMORY;
    sweep(output->target);
    if (old != NULL)
        output->mode = old->st_mode & 0777;
    *file = old != NULL || find_mode(output, size) == 0 ? make_temporary(output, size, 0600) : -1;
    if (*file >= 0)
        return GERSH_OK;
    int code = errno;
    gersh__free(output->temporary);
    output->temporary = NULL;
    return fail_errno(output->path, code);
}

/* What the link at path points to, from here; NULL with an errno, EINVAL where there is no link. */
static char *follow(const char *path)
{
    char to[PATH_MAX];
    const char *slash = strrchr(path, '/');
    ssize_t length = readlink(path, to, sizeof to);
    if (length < 0)
        return NULL;
    if ((size_t)length == sizeof to) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    size_t folder = slash != NULL && to[0] != '/' ? (size_t)(slash - path) + 1 : 0;
    char *whole = gersh__alloc(folder + (size_t)length + 1, 1);
    if (whole == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(whole, path, folder);
    memcpy(whole + folder, to, (size_t)length);
    return whole;
}

gersh_status gersh__output_target(char **target, const char *path)
{
    enum { MOST_LINKS = 40 };
    char *at = gersh__text_copy(path, strlen(path)), *next = NULL;
    int code = at != NULL ? 0 : ENOMEM;
    *target = NULL;
    for (int links = 0; code == 0 && (next = follow(at)) != NULL; links++) {
        gersh__free(at);
        at = next;
        code = links < MOST_LINKS ? 0 : ELOOP;
    }
    if (code == 0 && errno != EINVAL && errno != ENOENT)
        code = errno;
    if (code == 0) {
        *target = at;
        return GERSH_OK;
    }
    gersh__free(at);
    return fail_errno(path, code);
}

static gersh_status open_stream(gersh__output *output, int file)
{
    output->file = fdopen(file, "wb");
    if (output->file != NULL) {
        errno = 0; /* at the end it is that of a failed write */
        return GERSH_OK;
    }
    gersh_status status = fail_errno(output->path, errno);
    if (output->temporary != NULL)
        unlink(output->temporary);
    close(file);
    return status;
}

/* What can be said of the path before anything is opened; whether there is something already, and what. */
static gersh_status check_path(int *exists, struct stat *old, const char *path)
{
    if (*path == '\0')
        return gersh__fail(GERSH_ERROR_ARGUMENT, "the name of the file to write is empty");
    *exists = stat(path, old) == 0;
    if (*exists && S_ISDIR(old->st_mode))
        return gersh__fail(GERSH_ERROR_IO, "%s: is a directory; name a file in it", path);
    if (*exists && access(path, W_OK) != 0)
        return fail_errno(path, errno);
    return GERSH_OK;
}

gersh_status gersh__output_open(gersh__output *output, const char *path)
{
    struct stat old;
    int file = -1, exists = 0;
    *output = (gersh__output){0};
    gersh_status status = check_path(&exists, &old, path);
    int replaces = !exists || S_ISREG(old.st_mode);
    if (status == GERSH_OK && (output->path = gersh__text_copy(path, strlen(path))) == NULL)
        status = GERSH_ERROR_MEMORY;
    if (status == GERSH_OK && replaces)
        status = gersh__output_target(&output->target, path);
    if (status == GERSH_OK && replaces) {
        status = open_temporary(&file, output, exists ? &old : NULL);
    } else if (status == GERSH_OK) {
        file = open(path, O_WRONLY | O_CLOEXEC);
        if (file < 0)
            status = fail_errno(path, errno);
    }
    if (status == GERSH_OK)
        status = open_stream(output, file);
    if (status != GERSH_OK)
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
    if (status == GERSH_OK && code == 0 && output->temporary != NULL) {
        (void)!fchmod(fileno(output->file), output->mode); /* a file system without modes may refuse */
        code = fsync(fileno(output->file)) != 0 ? errno : 0;
    }
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

gersh_status gersh_file_write(const char *path, gersh_file_callback write, void *context)
{
    gersh__output output;
    gersh_status status = gersh__output_open(&output, path);
    if (status != GERSH_OK)
        return status;
    write(context, output.file);
    return gersh__output_close(&output, GERSH_OK);
}

gersh_status gersh__output_try(const char *path)
{
    struct stat old;
    int exists = 0;
    gersh__output output = {0};
    gersh_status status = check_path(&exists, &old, path);
    if (status != GERSH_OK || (exists && !S_ISREG(old.st_mode)))
        return status; /* who reads a pipe is to see one writer only */
    status = gersh__output_open(&output, path);
    if (status == GERSH_OK)
        gersh__output_close(&output, GERSH_ERROR_CANCELLED);
    return status;
}
