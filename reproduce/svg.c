/* Figures as SVG: running-time bars, and Gershgorin discs before and after alignment. */
#include <math.h>

#include "gersh/graph.h"
#include "run.h"

enum {
    WIDTH = 900,
    HEIGHT = 420,
    LEFT = 70,
    RIGHT = 20,
    TOP = 76,
    BOTTOM = 50,
    LEGEND = 150,
    LEGEND_ROW = 5
};

static const char *const fills[] = {"#bdbdbd", "#7f7f7f", "#c9a66b", "#4c8c6b", "#2b6cb0",
                                    "#b5475d", "#7a5ca8", "#d97f32", "#5aa9b8"};

enum { FILLS = sizeof fills / sizeof fills[0] };

static void put_text(FILE *file, double x, double y, const char *anchor, const char *text)
{
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            fputc(*text, file);
    }
    fputs("</text>\n", file);
}

static void put_head(FILE *file, int width, int height, const char *title)
{
    fprintf(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
        width, height, width, height, width, height);
    put_text(file, LEFT, 22, "start", title);
}

static double height_of(double value, double low, double high)
{
    return (HEIGHT - TOP - BOTTOM) * (log10(value) - low) / (high - low);
}

/* Lines at powers of ten. */
static void put_scale(FILE *file, double low, double high)
{
    for (double power = low; power <= high + 0.5; power++) {
        double y = HEIGHT - BOTTOM - height_of(pow(10, power), low, high);
        char text[32];
        fprintf(file, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", LEFT, y,
                WIDTH - RIGHT, y);
        snprintf(text, sizeof text, "%g s", pow(10, power));
        put_text(file, LEFT - 8, y + 4, "end", text);
    }
}

static void put_legend(FILE *file, const repro_bars *bars)
{
    for (size_t s = 0; s < bars->series; s++) {
        double x = LEFT + (double)(s % LEGEND_ROW) * LEGEND, y = 34 + (double)(s / LEGEND_ROW) * 16;
        fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", x, y,
                fills[s % FILLS]);
        put_text(file, x + 15, y + 9, "start", bars->series_name[s]);
    }
}

/* A triangle that points upwards. */
static void put_mark(FILE *file, double x, double y)
{
    fprintf(file, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", x - 4, y, x + 4, y, x, y - 7);
}

void repro_svg_bars(void *context, FILE *file)
{
    const repro_bars *bars = context;
    double least = INFINITY, most = 0, group = (double)(WIDTH - LEFT - RIGHT) / (double)bars->groups;
    double bar = 0.86 * group / (double)bars->series;
    for (size_t i = 0; i < bars->groups * bars->series; i++) {
        if (!(bars->value[i] > 0))
            continue;
        least = fmin(least, bars->value[i]);
        most = fmax(most, bars->value[i]);
    }
    if (!(most > 0))
        least = most = 1;
    double low = floor(log10(least)), high = ceil(log10(most));
    high = high > low ? high : low + 1;
    put_head(file, WIDTH, HEIGHT, bars->title);
    put_legend(file, bars);
    put_scale(file, low, high);
    for (size_t g = 0; g < bars->groups; g++) {
        double start = LEFT + (double)g * group + 0.07 * group;
        put_text(file, start + 0.43 * group, HEIGHT - BOTTOM + 20, "middle", bars->group[g]);
        for (size_t s = 0; s < bars->series; s++) {
            double value = bars->value[g * bars->series + s];
            if (!(value > 0))
                continue;
            double height = fmax(1, height_of(value, low, high)), x = start + (double)s * bar;
            fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x,
                    HEIGHT - BOTTOM - height, 0.9 * bar, height, fills[s % FILLS]);
            if (bars->at_least[g * bars->series + s])
                put_mark(file, x + 0.45 * bar, HEIGHT - BOTTOM - height - 3);
        }
    }
    put_mark(file, LEFT + 5, HEIGHT - 11);
    put_text(file, LEFT + 15, HEIGHT - 10, "start",
             "some fits were ended by the time limit: it takes longer");
    fputs("</svg>\n", file);
}

/* One panel: discs with the given radii, a row each, and the line of the smallest eigenvalue. */
static void put_panel(FILE *file, const gersh_discs *discs, const double *radius, double top,
                      const double range[2], const char *title)
{
    double unit = (WIDTH - LEFT - RIGHT) / (range[1] - range[0]), row = 46;
    double line = LEFT + (discs->lambda_min - range[0]) * unit, zero = LEFT - range[0] * unit;
    double bottom = top + row * (double)discs->nodes;
    char text[64];
    put_text(file, LEFT, top - 8, "start", title);
    fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#bbbbbb\"/>\n", zero, top,
            zero, bottom);
    for (size_t i = 0; i < discs->nodes; i++) {
        double x = LEFT + (discs->center[i] - range[0]) * unit, y = top + row * ((double)i + 0.5);
        fprintf(
            file,
            "<ellipse cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\" fill=\"%s\" fill-opacity=\"0.25\" "
            "stroke=\"%s\"/>\n<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
            x, y, radius[i] * unit, 0.42 * row, fills[4 + i % 3], fills[4 + i % 3], x, y, fills[4 + i % 3]);
        snprintf(text, sizeof text, "%zu", i + 1);
        put_text(file, LEFT - 20, y + 4, "end", text);
    }
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"black\" stroke-dasharray=\"5 "
            "4\"/>\n",
            line, top, line, bottom);
}

void repro_svg_discs(void *context, FILE *file)
{
    const gersh_discs *discs = context;
    double range[2] = {0, 0}, panel = 46 * (double)discs->nodes + 50;
    char title[128];
    for (size_t i = 0; i < discs->nodes; i++) {
        double radius = fmax(discs->radius[i], discs->aligned[i]);
        range[0] = fmin(range[0], discs->center[i] - radius);
        range[1] = fmax(range[1], discs->center[i] + radius);
    }
    range[0] -= 0.2;
    range[1] += 0.2;
    snprintf(title, sizeof title, "Gershgorin discs; dashed: the smallest eigenvalue, %.4f; grey: 0",
             discs->lambda_min);
    put_head(file, WIDTH, 60 + (int)(2 * panel), title);
    put_panel(file, discs, discs->radius, 70, range, "before alignment");
    put_panel(file, discs, discs->aligned, 70 + panel, range, "after alignment");
    fputs("</svg>\n", file);
}
