/* The index page: what was done, the studio's pages in frames, figures, plots, and a list of the files. It looks as the
 * studio does, light and dark. */
#include "demo_page.h"

#include <stddef.h>
#include <string.h>

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>sinew: %s</title>\n<style>\n"
    ":root { --paper: #f1ede6; --panel: #fbf9f5; --ink: #24211d; --muted: #675f55; --line: #ddd5c8; --accent: #2f55a8; "
    "color-scheme: light; }\n"
    "@media (prefers-color-scheme: dark) { :root { --paper: #15171b; --panel: #1c1f25; --ink: #ebe7df; --muted: "
    "#a5a29b; --line: #31353d; --accent: #9bb8ff; color-scheme: dark; } }\n"
    "* { box-sizing: border-box; }\n"
    "body { font: 16px/1.5 system-ui, -apple-system, \"Segoe UI\", \"Noto Sans\", \"DejaVu Sans\", sans-serif; "
    "max-width: 76rem; margin: 0 auto; padding: 1rem; color: var(--ink); background: var(--paper); }\n"
    "h1, h2, h3 { line-height: 1.2; letter-spacing: -.01em; } h1 { display: flex; align-items: center; gap: .6rem; }\n"
    "h1 svg { width: 2rem; height: 2rem; fill: none; stroke: #d0553f; stroke-width: 4.5; stroke-linecap: round; "
    "flex: none; }\n"
    "h2 { margin: 2.5rem 0 .75rem; } h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }\n"
    "p { max-width: 70ch; } a { color: var(--accent); }\n"
    "table { border-collapse: collapse; } .wide { overflow-x: auto; }\n"
    "th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid var(--line); }\n"
    "td { white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
    "th:first-child, td:first-child { text-align: left; padding-left: 0; font-weight: normal; }\n"
    ".files td { white-space: normal; text-align: left; } .files td:first-child { overflow-wrap: anywhere; }\n"
    "details { margin: .75rem 0; } summary { cursor: pointer; color: var(--accent); }\n"
    "iframe { display: block; width: 100%%; height: min(78vh, 46rem); border: 1px solid var(--line); border-radius: "
    ".75rem; background: var(--panel); }\n"
    ".plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%%, 20rem), 1fr)); gap: 1rem; "
    "align-items: start; }\n"
    ".plots > div { display: grid; gap: 1rem; }\n"
    "figure { margin: 0; padding: .5rem; border: 1px solid var(--line); border-radius: .75rem; background: "
    "var(--panel); }\n"
    "figure img { display: block; width: 100%%; height: auto; border-radius: .4rem; background: #fff; }\n"
    "figcaption { padding: .4rem .25rem 0; font-size: .875rem; color: var(--muted); }\n"
    ".soft { color: var(--muted); font-size: .9375rem; }\n"
    ".note, pre { background: var(--panel); border: 1px solid var(--line); border-radius: .75rem; padding: .75rem "
    "1rem; }\n"
    "pre { overflow-x: auto; font-size: .875rem; } code { overflow-wrap: anywhere; }\n"
    "@media (max-width: 40rem) { iframe { height: 70vh; } th, td { padding: .25rem .4rem; } }\n"
    "</style>\n</head>\n<body>\n";

typedef struct snFigureRow {
    const char *what, *unit;
    int decimals;
    double scale;
    size_t member; /* of snDemoMotion */
    bool skin;     /* only of models with a skin */
} snFigureRow;

#define OF(member) offsetof(snDemoMotion, member)
enum { FIRST_ROWS = 4 }; /* shown at once; the others when asked for */
static const snFigureRow rows[] = {
    {"mean error of the bones", " mm", 4, 1, OF(mean_error), false},
    {"largest error", " mm", 3, 1, OF(worst_error), false},
    {"largest activation (full is 1)", "", 2, 1, OF(max_activation), false},
    {"times real time", "", 2, 1, OF(real_time_factor), false},
    {"frames", "", 0, 1, OF(frames), false},
    {"simulated", " s", 2, 1, OF(simulated), false},
    {"computed in", " s", 2, 1, OF(seconds), false},
    {"highest bulge of the skin", " mm", 2, 1, OF(bulge), true},
    {"skin a frame", " ms", 2, 1, OF(skin_ms), true},
    {"least volume of the skin", " %", 1, 100, OF(volume_low), true},
    {"largest volume", " %", 1, 100, OF(volume_high), true},
};
#undef OF

/* A row for each figure and a column for each motion: two motions fit on a phone. */
static void add_rows(snText *t, const snDemo *demo, size_t from, size_t to)
{
    text_add(t, "<div class=\"wide\"><table>\n<tr><td>");
    for (int i = 0; i < demo->nmotion; ++i)
        text_add(t, "<th scope=\"col\"><a href=\"#%s\">%s</a>", demo->motion[i].name, demo->motion[i].name);
    text_add(t, "</tr>\n");
    for (size_t k = from; k < to; ++k) {
        if (rows[k].skin && !demo->skin) continue;
        text_add(t, "<tr><th scope=\"row\">%s", rows[k].what);
        for (int i = 0; i < demo->nmotion; ++i) {
            double value;
            memcpy(&value, (const char *)&demo->motion[i] + rows[k].member, sizeof value);
            bool angle = demo->tree && (rows[k].member == offsetof(snDemoMotion, mean_error) ||
                                        rows[k].member == offsetof(snDemoMotion, worst_error));
            text_add(t, "<td>%.*f%s", rows[k].decimals, rows[k].scale * value, angle ? " rad" : rows[k].unit);
        }
        text_add(t, "</tr>\n");
    }
    text_add(t, "</table></div>\n");
}

static void add_figures(snText *t, const snDemo *demo)
{
    add_rows(t, demo, 0, FIRST_ROWS);
    text_add(t, "<details><summary>All figures</summary>\n");
    add_rows(t, demo, FIRST_ROWS, sizeof rows / sizeof rows[0]);
    text_add(t, "<p class=\"soft\">The error is %s%s. Times were measured during this run.</p></details>\n",
             demo->tree ? "that of the joint coordinates"
                        : "the distance of the bones' vertices from where the motion has them",
             demo->skin ? "; the volume is that of the skin with tendons against the skin that only follows the bones"
                        : "");
}

static void add_plot(snText *t, const char *motion, const char *what, const char *caption)
{
    text_add(t,
             "<figure><a href=\"%s.%s.svg\"><img src=\"%s.%s.png\" alt=\"%s: %s\" loading=\"lazy\"></a>"
             "<figcaption>%s</figcaption></figure>\n",
             motion, what, motion, what, motion, caption, caption);
}

static void add_plots(snText *t, const snDemo *demo, const snDemoMotion *m)
{
    text_add(t, "<h3>Plots</h3>\n<div class=\"plots\">\n");
    add_plot(t, m->name, "activation",
             demo->many ? "The forty muscles that work hardest, means of their parts"
                        : "Activation of every muscle; the scale ends above the largest one");
    text_add(t, "<div>\n");
    add_plot(t, m->name, "lines", "The eight that work hardest");
    add_plot(t, m->name, "force", "The largest forces at the insertion");
    if (!demo->tree) add_plot(t, m->name, "error", "How far the bones are from the motion");
    text_add(t, "</div>\n</div>\n");
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
    text_add(t, "<h3>Files</h3>\n<table class=\"files\">\n");
    size_t count = sizeof files / sizeof files[0] - (demo->skin ? 0 : 1); /* the skin's comes last */
    for (size_t i = 0; i < count; ++i)
        text_add(t, "<tr><td><a href=\"%s%s\">%s%s</a><td>%s</tr>\n", name, files[i][0], name, files[i][0],
                 files[i][1]);
    text_add(t, "</table>\n");
}

static void add_by_hand(snText *t, const snDemo *demo, const snDemoMotion *m)
{
    text_add(t, "<h3>Run it yourself</h3>\n<pre>sinew track %s %s -o out\nsinew plot out.replay.xml -o out.png\n",
             demo->model, m->name);
    if (demo->skin) text_add(t, "sinew skin %s out.replay.xml -o out.pc2\n", demo->model);
    text_add(t,
             "sinew export out.replay.xml --to glb\nsinew studio %s out.replay.xml   # with a live simulation</pre>\n",
             demo->model);
}

static void add_motion(snText *t, const snDemo *demo, const snDemoMotion *m)
{
    text_add(t, "<h2 id=\"%s\">%s</h2>\n", m->name, m->name);
    if (demo->page)
        text_add(t,
                 "<iframe src=\"%s.html\" title=\"%s in the studio\" loading=\"lazy\"></iframe>\n"
                 "<p class=\"soft\">Play it, drag to turn it, click a strand for its activation, force and length. The "
                 "colours show activation. <a href=\"%s.html\">Open it on its own</a>.</p>\n",
                 m->name, m->name, m->name);
    if (m->flesh)
        text_add(
            t,
            "<h3>In flesh</h3>\n<iframe src=\"%s.flesh.html\" title=\"%s in flesh\" loading=\"lazy\"></iframe>\n"
            "<p class=\"soft\">The skin moves with soft tissue by finite elements, which muscles pull and thicken. "
            "This is a coarse draft; <code>sinew flesh</code> makes fine ones. "
            "<a href=\"%s.flesh.html\">Open it on its own</a>.</p>\n",
            m->name, m->name, m->name);
    if (demo->plots) add_plots(t, demo, m);
    add_files(t, demo, m->name);
    add_by_hand(t, demo, m);
}

snText cli_demo_page(const snDemo *demo)
{
    snText t = {0};
    text_add(&t, head, demo->model);
    text_add(
        &t,
        "<h1><svg viewBox=\"0 0 32 32\" aria-hidden=\"true\"><path d=\"M4 26C10 8 22 24 28 6\"/></svg>sinew: "
        "%s</h1>\n<p>Given the motion of the bones, which muscles pull, and how hard? sinew found activations that "
        "produce the motion, and simulated how muscles and tendons slide and wrap meanwhile. All of this took "
        "%.0f&nbsp;s.</p>\n",
        demo->model, demo->seconds);
    add_figures(&t, demo);
    if (!demo->page)
        text_add(&t,
                 "<p class=\"note\">The studio's page has not been built, because node and npm were missing, so the "
                 "motions cannot be played here. <code>make studio</code> builds it; the plots, GLB and point caches "
                 "below are complete.</p>\n");
    for (int i = 0; i < demo->nmotion; ++i) add_motion(&t, demo, &demo->motion[i]);
    text_add(&t, "</body>\n</html>\n");
    return t;
}
