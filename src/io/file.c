/*
 * Reading a file, plain or gzipped, into one block that grows by doubling. The gzip format is unpacked with
 * inflate() member by member, because the end of the data is to be seen exactly: a file that stops in the
 * middle of a member, and bytes after the last member that are no member, are errors.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/error.h"

enum { smallest_block = 1 << 16, largest_step = 1 << 30 };

typedef struct block {
    char *bytes;
    size_t size, capacity;
} block;

/* Makes room for `more` bytes and a final NUL. */
static gersh_status make_room(block *data, size_t more, const char *shown)
{
    if ((double)data->size + (double)more > gersh__memory_limit())
        return gersh__fail(GERSH_ERROR_INPUT, "%s: has more than %.3g GB, half of this machine's memory",
                           shown, gersh__memory_limit() / 1e9);
    return gersh__grow(&data->bytes, &data->capacity, data->size + more + 1, 1) == 0 ? GERSH_OK
                                                                                     : GERSH_ERROR_MEMORY;
}

static gersh_status read_all(block *data, int file, const char *shown)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return gersh__fail_errno(errno, shown, "cannot be read");
    if (S_ISDIR(info.st_mode))
        return gersh__fail(GERSH_ERROR_IO, "%s: is a directory; name a file in it", shown);
    /* One byte more than the file has, so that its end is seen without another block. */
    size_t step = S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size + 1 : smallest_block;
    for (;;) {
        if (data->capacity < data->size + 2) {
            gersh_status status = make_room(data, step, shown);
            if (status != GERSH_OK)
                return status;
            step = smallest_block;
        }
        size_t room = data->capacity - data->size - 1;
        ssize_t count = read(file, data->bytes + data->size, room < largest_step ? room : largest_step);
        if (count == 0)
            return GERSH_OK;
        if (count < 0 && errno != EINTR)
            return gersh__fail_errno(errno, shown, "cannot be read");
        data->size += count > 0 ? (size_t)count : 0;
    }
}

static voidpf zlib_alloc(voidpf context, uInt count, uInt size)
{
    (void)context;
    return gersh__alloc(count, size);
}

static void zlib_free(voidpf context, voidpf address)
{
    (void)context;
    gersh__free(address);
}

static gersh_status inflate_failure(const z_stream *stream, int code, const char *shown)
{
    if (code == Z_MEM_ERROR)
        return GERSH_ERROR_MEMORY;
    if (code == Z_BUF_ERROR)
        return gersh__fail(GERSH_ERROR_IO, "%s: the gzip data ends too early; the file was cut off", shown);
    return gersh__fail(GERSH_ERROR_IO, "%s: the gzip data is damaged: %s", shown,
                       stream->msg != NULL ? stream->msg : "unknown error");
}

/* Unpacks one member; the stream's input is left at what follows it. */
static gersh_status inflate_member(block *plain, z_stream *stream, const unsigned char *end,
                                   const char *shown)
{
    int code = Z_OK;
    while (code != Z_STREAM_END) {
        if (plain->capacity < plain->size + 2) {
            gersh_status status = make_room(plain, smallest_block, shown);
            if (status != GERSH_OK)
                return status;
        }
        size_t room = plain->capacity - plain->size - 1, left = (size_t)(end - stream->next_in);
        stream->avail_in = (uInt)(left < largest_step ? left : largest_step);
        stream->avail_out = (uInt)(room < largest_step ? room : largest_step);
        stream->next_out = (unsigned char *)plain->bytes + plain->size;
        uInt offered = stream->avail_out;
        code = inflate(stream, Z_NO_FLUSH);
        plain->size += offered - stream->avail_out;
        if (code != Z_OK && code != Z_STREAM_END)
            return inflate_failure(stream, code, shown);
    }
    return GERSH_OK;
}

static int starts_member(const unsigned char *at, const unsigned char *end)
{
    return end - at >= 2 && at[0] == 0x1F && at[1] == 0x8B;
}

static gersh_status unzip(block *plain, const block *packed, const char *shown)
{
    const unsigned char *at = (const unsigned char *)packed->bytes, *end = at + packed->size;
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    int code = inflateInit2(&stream, 15 + 16); /* the largest window, gzip only */
    if (code != Z_OK)
        return inflate_failure(&stream, code, shown);
    gersh_status status = GERSH_OK;
    while (status == GERSH_OK && starts_member(at, end)) {
        inflateReset(&stream);
        stream.next_in = (z_const Bytef *)at;
        status = inflate_member(plain, &stream, end, shown);
        at = stream.next_in;
    }
    inflateEnd(&stream);
    if (status != GERSH_OK)
        return status;
    size_t rest = (size_t)(end - at);
    while (at < end && *at == 0) /* zeros are padding, as tapes and archivers leave it */
        at++;
    if (at < end)
        return gersh__fail(
            GERSH_ERROR_IO,
            "%s: the gzip data is followed by %zu bytes that are not gzip data; the file is damaged", shown,
            rest);
    return GERSH_OK;
}

gersh_status gersh__file_load(gersh__content *content, const char *path, const char *shown)
{
    block data = {0}, plain = {0};
    *content = (gersh__content){0};
    int standard = strcmp(path, "-") == 0;
    int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return gersh__fail_errno(errno, shown, "cannot be opened");
    gersh_status status = read_all(&data, file, shown);
    if (!standard)
        close(file);
    if (status == GERSH_OK &&
        starts_member((unsigned char *)data.bytes, (unsigned char *)data.bytes + data.size)) {
        status = make_room(&plain, smallest_block, shown);
        if (status == GERSH_OK)
            status = unzip(&plain, &data, shown);
        gersh__free(data.bytes);
        data = plain;
    }
    if (data.bytes != NULL)
        data.bytes[data.size] = '\0';
    content->bytes = data.bytes;
    content->size = data.size;
    return status;
}
