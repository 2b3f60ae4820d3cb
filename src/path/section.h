/* The section of a surface with a plane through two points, on the side where a strand is drawn, and the string that is
 * taut over it: where geodesic.c starts. */
#ifndef SN_PATH_SECTION_H
#define SN_PATH_SECTION_H

#include "path/geodesic.h"

enum { PATH_RAYS = 24 };

typedef struct pathSection {
    v3 from, along, up;
    double length, low, high; /* of the line, and the part of it that may be under the surface */
    double highest;           /* of the surface over the line */
    bool deep;                /* the line passes under the middle of the surface */
    v3 within;                /* a point under the surface, x along, y up */
    v3 place[PATH_RAYS + 1];  /* corners of the string, its ends included */
    int32_t n;
} pathSection;

/* The plane; false where both points are one. */
bool path_section_find(const snGeodesicWrap *wrap, v3 a, v3 b, pathSection *section);
/* The string in it: two corners where the surface is not above the line. */
void path_section_string(const snGeodesicWrap *wrap, pathSection *section);
/* A place of the section, x along, y up, in the body. */
v3 path_section_point(const pathSection *section, v3 place);
/* Whether the straight line meets the surface, and where it is deepest. */
bool path_section_meets(const snGeodesicWrap *wrap, const pathSection *section, double *deepest);
/* Turns the section about the line, downhill, to where the string over it is shorter than on both sides. */
void path_section_slip(const snGeodesicWrap *wrap, pathSection *section);

#endif
