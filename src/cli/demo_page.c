/* The index page: figures, pictures, the studio's pages in frames, and a list of the files. */
#include "demo_page.h"

#include <stddef.h>
#include <string.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>sinew: %s</title>\n<style>\n"
    ":root { color-scheme: light dark; --line: #8884; --soft: #8882; }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem; }\n"
    "h1, h2 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; }\n"
    "table { border-collapse: collapse; display: block; overflow-x: auto; }\n"
    "th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid var(--line); }\n"
    "td { white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
    "th:first-child, td:first-child { text-align: left; padding-left: 0; font-weight: normal; }\n"
    "iframe { width: 100%%; height: min(75vh, 44rem); border: 1px solid var(--line); border-radius: .5rem; }\n"
    ".plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%%, 20rem), 1fr)); gap: 1rem; "
    "align-items: start; }\n"
    ".plots img { width: 100%%; height: auto; border-radius: .5rem; background: #fff; }\n"
    "figure { margin: 0; } figcaption { font-size: .875rem; opacity: .8; }\n"
    ".note { background: var(--soft); border-radius: .5rem; padding: .75rem 1rem; }\n"
    "code { background: var(--soft); padding: .1em .3em; border-radius: .25em; overflow-wrap: anywhere; }\n"
    "</style>\n</head>\n<body>\n";

typedef struct snFigureRow {
    const char *what, *unit;
    int decimals;
    double scale;
    size_t member; /* of snDemoMotion */
    bool skin;     /* only of models with a skin */
} snFigureRow;

#define OF(member) offsetof(snDemoMotion, member)
static const snFigureRow rows[] = {
    {"mean error", " mm", 3, 1, OF(mean_error), false},
    {"worst error", " mm", 3, 1, OF(worst_error), false},
    {"times real time", "", 2, 1, OF(real_time_factor), false},
    {"largest activation", "", 2, 1, OF(max_activation), false},
    {"frames", "", 0, 1, OF(frames), false},
    {"simulated", " s", 2, 1, OF(simulated), false},
    {"computed in", " s", 2, 1, OF(seconds), false},
    {"highest bulge", " mm", 2, 1, OF(bulge), true},
    {"skin a frame", " ms", 2, 1, OF(skin_ms), true},
    {"least volume of the skin", " %", 1, 100, OF(volume_low), true},
    {"largest volume", " %", 1, 100, OF(volume_high), true},
};
#undef OF

/* A row for each figure and a column for each motion: two motions fit on a phone, what matters most stands first. */
static void add_figures(snText *t, const snDemo *demo)
{
    text_add(t, "<table>\n<tr><td>");
    for (int i = 0; i < demo->nmotion; ++i)
        text_add(t, "<th scope=\"col\"><a href=\"#%s\">%s</a>", demo->motion[i].name, demo->motion[i].name);
    text_add(t, "</tr>\n");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        if (rows[k].skin && !demo->skin) continue;
        text_add(t, "<tr><th scope=\"row\">%s", rows[k].what);
        for (int i = 0; i < demo->nmotion; ++i) {
            double value;
            memcpy(&value, (const char *)&demo->motion[i] + rows[k].member, sizeof value);
            text_add(t, "<td>%.*f%s", rows[k].decimals, rows[k].scale * value, rows[k].unit);
        }
        text_add(t, "</tr>\n");
    }
    text_add(t, "</table>\n<p>The error is the distance of the bones' vertices from the motion that was asked for%s.</p>\n",
             demo->skin ? "; the volume is that of the skin with tendons against the skin that only follows the bones" : "");
}

static void add_plot(snText *t, const char *motion, const char *what, const char *caption)
{
    text_add(t,
             "<figure><a href=\"%s.%s.svg\"><img src=\"%s.%s.png\" alt=\"%s: %s\" loading=\"lazy\"></a>"
             "<figcaption>%s</figcaption></figure>\n",
             motion, what, motion, what, motion, caption, caption);
}

static void add_files(snText *t, const snDemo *demo, const char *name)
{
    static const char *const files[][2] = {
        {".replay.xml", "motion of bones and strands, with activations and forces"},
        {".sto", "table of activations, forces and lengths, for OpenSim or a spreadsheet"},
        {".report.txt", "tracking error of each bone"},
        {".glb", "animation for any glTF viewer"},
        {".strands.pc2", "point cache of the strands' control points"},
        {".skin.pc2", "point cache of the skin at 24 frames a second, for the modifier of an animation tool"},
    };
    text_add(t, "<ul>\n");
    size_t count = sizeof files / sizeof files[0] - (demo->skin ? 0 : 1); /* the skin's comes last */
    for (size_t i = 0; i < count; ++i)
        text_add(t, "<li><a href=\"%s%s\">%s%s</a>: %s</li>\n", name, files[i][0], name, files[i][0], files[i][1]);
    text_add(t, "</ul>\n");
}

static void add_motion(snText *t, const snDemo *demo, const snDemoMotion *m)
{
    text_add(t, "<h2 id=\"%s\">%s</h2>\n", m->name, m->name);
    if (demo->page)
        text_add(t,
                 "<iframe src=\"%s.html\" title=\"%s in the studio\" loading=\"lazy\"></iframe>\n"
                 "<p><a href=\"%s.html\">Open it on its own</a>: play, scrub, pick a muscle.</p>\n",
                 m->name, m->name, m->name);
    text_add(t, "<div class=\"plots\">\n");
    add_plot(t, m->name, "activation", "Activation of every muscle");
    text_add(t, "<div>\n");
    add_plot(t, m->name, "lines", "The eight that work hardest");
    add_plot(t, m->name, "force", "The largest forces at the insertion");
    add_plot(t, m->name, "error", "How far the bones are from the motion");
    text_add(t, "</div>\n</div>\n<h3>Files</h3>\n");
    add_files(t, demo, m->name);
    text_add(t,
             "<p>The same by hand: <code>sinew track %s %s -o out</code>, <code>sinew plot out.replay.xml -o "
             "out.png</code>, ",
             demo->model, m->name);
    if (demo->skin) text_add(t, "<code>sinew skin %s out.replay.xml -o out.pc2</code>, ", demo->model);
    text_add(t,
             "<code>sinew export out.replay.xml --to glb</code>, <code>sinew studio %s out.replay.xml</code></p>\n",
             demo->model);
}

snText cli_demo_page(const snDemo *demo)
{
    snText t = {0};
    text_add(&t, head, demo->model);
    text_add(
        &t,
        "<h1>sinew: %s</h1>\n<p>Muscles and tendons that follow a motion of the bones: activations were found that "
        "produce it, and the strands moved as they pull. Made in %.0f&nbsp;s.</p>\n",
        demo->model, demo->seconds);
    add_figures(&t, demo);
    if (!demo->page)
        text_add(
            &t,
            "<p class=\"note\">The studio's page has not been built, because node and npm were missing, so that the "
            "motions cannot be played here. <code>make studio</code> builds it; the plots, GLB and point caches "
            "below are complete.</p>\n");
    for (int i = 0; i < demo->nmotion; ++i) add_motion(&t, demo, &demo->motion[i]);
    text_add(&t, "</body>\n</html>\n");
    return t;
}
