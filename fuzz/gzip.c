/*
 * Fuzz target: the way through gzip. The input as it is must be read or refused; packed, in one member or several and
 * with zeros behind it, it must come back; packed and then cut or changed, it must be read or refused.
 */
#include "fuzz.h"

#include <zlib.h>

#include "io/file.h"

/* One member with these bytes; returns its length. */
static size_t pack(uint8_t *out, size_t room, const uint8_t *bytes, size_t size)
{
    z_stream stream = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)size};
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&stream, Z_FINISH) != Z_STREAM_END)
        fuzz_fail("zlib cannot pack %zu bytes", size);
    deflateEnd(&stream);
    return stream.total_out;
}

static void load(const uint8_t *bytes, size_t size, const uint8_t *expected, size_t length)
{
    gersh__content content;
    gersh_status status = gersh__file_load(&content, fuzz_file(bytes, size), "input");
    if (status != GERSH_OK)
        fuzz_check_failure(status, NULL);
    else if (content.bytes[content.size] != '\0')
        fuzz_fail("there is no NUL behind the content");
    if (expected != NULL &&
        (status != GERSH_OK || content.size != length || memcmp(content.bytes, expected, length) != 0))
        fuzz_fail("%zu bytes in %zu packed ones do not come back", length, size);
    gersh__free(content.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    load(data, size, NULL, 0);
    fuzz_choices c = {data, data + 4};
    size_t first = fuzz_byte(&c) * size / 256, zeros = fuzz_below(&c, 8);
    unsigned damage = fuzz_byte(&c), change = fuzz_byte(&c);
    size_t room = 2 * size + 256;
    uint8_t *packed = calloc(1, room);
    if (packed == NULL)
        return 0;
    size_t used = first > 0 ? pack(packed, room, data, first) : 0;
    used += pack(packed + used, room - used, data + first, size - first);
    load(packed, used + zeros, data, size);
    if (damage % 2 == 0)
        used = used * damage / 256;
    else
        packed[damage * used / 256] ^= (uint8_t)(change | 1);
    load(packed, used, NULL, 0);
    free(packed);
    return 0;
}
