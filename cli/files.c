/* What a command writes must be none of what it reads, nor be written twice; and who else can read it. */
#define _DEFAULT_SOURCE /* S_ISREG */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "io/output.h"

enum { MOST_FILES = 16 };

/*
 * A file of the command line. What exists is known by device and inode; what is still to be written, by its folder and
 * its name there. Devices, pipes and folders cannot be overwritten: they are the same as nothing.
 */
typedef struct place {
    char option[64]; /* what names it: "DATA", "--output" */
    const char *path;
    int known;
    dev_t device;
    ino_t node;
    char *name; /* NULL where the file exists */
} place;

typedef struct places {
    place file[MOST_FILES];
    size_t count, inputs; /* the inputs come first */
} places;

static place *add(places *all, const char *option, const char *path)
{
    place *p = &all->file[all->count++];
    snprintf(p->option, sizeof p->option, "%s", option);
    p->path = path;
    return p;
}

static void find_existing(place *p, const struct stat *info)
{
    p->known = S_ISREG(info->st_mode);
    p->device = info->st_dev;
    p->node = info->st_ino;
}

static void add_input(places *all, const char *option, const char *path)
{
    struct stat info;
    place *p = add(all, option, path);
    if ((strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(path, &info)) == 0)
        find_existing(p, &info);
}

/* What does not exist yet, by its folder; where that is missing too, the writing fails by itself. */
static gersh_status find_new(place *p, char *target)
{
    struct stat info;
    char *slash = strrchr(target, '/');
    const char *name = slash != NULL ? slash + 1 : target;
    p->name = gersh__text_copy(name, strlen(name));
    if (p->name == NULL)
        return GERSH_ERROR_MEMORY;
    if (slash != NULL)
        slash[1] = '\0';
    p->known = stat(slash != NULL ? target : ".", &info) == 0;
    if (p->known) {
        p->device = info.st_dev;
        p->node = info.st_ino;
    }
    return GERSH_OK;
}

static gersh_status add_output(places *all, const char *option, const char *path)
{
    struct stat info;
    place *p = add(all, option, path);
    char *target = NULL;
    if (stat(path, &info) == 0) {
        find_existing(p, &info);
        return GERSH_OK;
    }
    gersh_status status = gersh__output_target(&target, path);
    if (status == GERSH_OK)
        status = find_new(p, target);
    gersh__free(target);
    return status;
}

/* The operands as the usage names them: "MODEL [DATA]". */
static void add_operands(places *all, const cli_args *args)
{
    const char *names = args->command->operand_names;
    for (int i = 0; i < args->operands; i++) {
        char name[32];
        names += strspn(names, " [");
        size_t length = strcspn(names, " ]");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        names += length;
        add_input(all, name, args->operand[i]);
    }
}

/* The settings that name files are inputs. */
static void add_settings(places *all, const cli_args *args)
{
    for (int i = 0; i < gersh_settings_count(); i++) {
        const gersh_setting_info *info = gersh_settings_info(i);
        const char *path = gersh_settings_get(args->settings, info->name);
        char option[64];
        snprintf(option, sizeof option, "--%s", info->name);
        if (info->value != NULL && strcmp(info->value, "FILE") == 0 && *path != '\0')
            add_input(all, option, path);
    }
}

static gersh_status add_options(places *all, const cli_args *args, int outputs)
{
    const cli_command *command = args->command;
    gersh_status status = GERSH_OK;
    for (const cli_option *o = command->options; o != NULL && o->name != NULL && status == GERSH_OK; o++) {
        const char *path = cli_value(args, o->name);
        char option[64];
        snprintf(option, sizeof option, "--%s", o->name);
        if (path == NULL || *path == '\0')
            continue;
        if (!outputs && cli_lists(command->reads, o->name))
            add_input(all, option, path);
        else if (outputs && cli_lists(command->writes, o->name))
            status = add_output(all, option, path);
    }
    return status;
}

static int same(const place *a, const place *b)
{
    if (!a->known || !b->known || a->device != b->device || a->node != b->node)
        return 0;
    return a->name == NULL || b->name == NULL ? a->name == b->name : strcmp(a->name, b->name) == 0;
}

static gersh_status refuse(const place *first, const place *output, int is_output)
{
    char a[GERSH__EXCERPT_SIZE], b[GERSH__EXCERPT_SIZE];
    gersh__text_excerpt(a, sizeof a, first->path, strlen(first->path));
    gersh__text_excerpt(b, sizeof b, output->path, strlen(output->path));
    return gersh__fail(
        GERSH_ERROR_ARGUMENT,
        "%s '%s' and %s '%s' are the same file, which would be %s; name another file with %s",
        first->option, a, output->option, b, is_output ? "written twice" : "overwritten", output->option);
}

gersh_status cli_check_files(const cli_args *args)
{
    places all = {0};
    if (args->command->writes == NULL)
        return GERSH_OK;
    add_operands(&all, args);
    add_settings(&all, args);
    add_options(&all, args, 0);
    all.inputs = all.count;
    gersh_status status = add_options(&all, args, 1);
    for (size_t j = all.inputs; j < all.count && status == GERSH_OK; j++)
        for (size_t i = 0; i < j && status == GERSH_OK; i++)
            if (same(&all.file[i], &all.file[j]))
                status = refuse(&all.file[i], &all.file[j], i >= all.inputs);
    for (size_t i = 0; i < all.count; i++)
        gersh__free(all.file[i].name);
    return status;
}

/* The mode of a file that others can read, 0 for other files, and for pipes and devices. */
static unsigned open_mode(const char *path)
{
    struct stat info;
    int open = path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
               (info.st_mode & (S_IRGRP | S_IROTH)) != 0;
    return open ? (unsigned)info.st_mode & 07777 : 0;
}

json_t *cli_readable_json(const char *model, const char *report)
{
    json_t *list = json_array();
    if (open_mode(model) != 0)
        json_array_append_new(list, gersh__json_text(model));
    if (open_mode(report) != 0)
        json_array_append_new(list, gersh__json_text(report));
    return list;
}

static void note(const cli_args *args, const char *path, const char *what, const char *mend)
{
    unsigned mode = open_mode(path);
    if (mode == 0 || args->quiet || args->json)
        return;
    fprintf(stderr, "gersh %s: ", args->command->name);
    cli_put_text(stderr, path);
    fprintf(stderr, " holds %s, and its mode %04o lets other users read it; %s\n", what, mode, mend);
}

static const char make_private[] = "'chmod go-r' makes it private";

void cli_note_model(const cli_args *args, const char *path, const char *mend)
{
    note(args, path, "the training samples", mend != NULL ? mend : make_private);
}

void cli_note_report(const cli_args *args, const char *path)
{
    note(args, path, "positions and labels of samples", make_private);
}
