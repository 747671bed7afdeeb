/*
 * Runs a command whose output is a terminal, and watches what arrives there. Usage: watch OUT COMMAND ARGUMENTS...
 *
 * Standard output and standard error are a pseudo-terminal, standard input is /dev/null; what arrives is written to OUT
 * (carriage returns before newlines left out). The exit status is the command's, 128 and more where a signal ended it, or
 * 99 where the terminal got what it would obey or what reads otherwise than it is: a control character other than the
 * newline, the carriage return and the program's own "erase to the end of the line"; a byte that is not UTF-8; a
 * character that sets the direction of text or ends a line. The C library decodes UTF-8, not the project.
 */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

enum { FOUND = 99, BROKEN = 98 };

static int broken(const char *what)
{
    fprintf(stderr, "watch: %s: %s\n", what, strerror(errno));
    return BROKEN;
}

static void run(const char *terminal, char **command)
{
    setsid();
    int input = open("/dev/null", O_RDONLY), output = open(terminal, O_RDWR);
    if (input < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
        _exit(BROKEN);
    execvp(command[0], command);
    _exit(BROKEN);
}

/* All that arrives until the command has ended: then reading fails, or there is nothing more. */
static char *read_all(size_t *size, int master)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t got;
    *size = 0;
    do {
        if (*size + 4096 > room) {
            room = 2 * room + 8192;
            text = realloc(text, room);
        }
        got = text != NULL ? read(master, text + *size, 4096) : 0;
        *size += got > 0 ? (size_t)got : 0;
    } while (got > 0 || (got < 0 && errno == EINTR));
    return text;
}

static int is_hostile(const char *text, size_t left, size_t *bytes)
{
    static const wchar_t bad[] = L"\x061C\x200E\x200F\x2028\x2029\x202A\x202B\x202C\x202D\x202E\x2066\x2067"
                                 L"\x2068\x2069";
    mbstate_t shift = {0};
    wchar_t c = 0;
    *bytes = mbrtowc(&c, text, left, &shift);
    if (*bytes == 0 || *bytes > left)
        return 1;
    if (c == 0x1B && left >= 3 && memcmp(text, "\x1B[K", 3) == 0)
        return 0;
    return (c < 0x20 && c != '\n' && c != '\r') || (c >= 0x7F && c <= 0x9F) || wcschr(bad, c) != NULL;
}

int main(int argc, char **argv)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), held, status = 0;
    if (argc < 3 || setlocale(LC_CTYPE, "C.UTF-8") == NULL)
        return broken("usage: watch OUT COMMAND..., where the locale C.UTF-8 exists");
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        return broken("no pseudo-terminal");
    const char *terminal = ptsname(master);
    held = open(terminal, O_RDWR | O_NOCTTY); /* so that nothing is lost before the command has it open */
    pid_t child = fork();
    if (held < 0 || child < 0)
        return broken("cannot start the command");
    if (child == 0)
        run(terminal, argv + 2);
    close(held);
    size_t size, bytes, found = 0;
    char *text = read_all(&size, master);
    FILE *out = fopen(argv[1], "w");
    if (out == NULL || text == NULL || waitpid(child, &status, 0) != child)
        return broken(argv[1]);
    for (size_t i = 0; i < size; i++)
        if (text[i] != '\r' || i + 1 == size || text[i + 1] != '\n')
            fputc(text[i], out);
    fclose(out);
    for (size_t i = 0; i < size && found == 0; i += bytes)
        found = is_hostile(text + i, size - i, &bytes) ? i + 1 : 0;
    if (found > 0)
        fprintf(stderr, "watch: byte %zu of the output is 0x%02X\n", found, (unsigned char)text[found - 1]);
    free(text);
    if (found > 0)
        return FOUND;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
