// Which colour stands for which number: viridis, or what an OglColorMap of the scene says. The page gets the same
// colours.
#ifndef DV_VIEW_MAPS_H
#define DV_VIEW_MAPS_H

#include "view/draw.h"

#include <jansson.h>

enum { DV_MAP_MOST = 256 };

typedef struct dvColourMap {
  int count;                           // colours, evenly apart; between them colours are mixed
  unsigned char rgb[DV_MAP_MOST][3];   // as seen (sRGB)
} dvColourMap;

// The OglColorMap that colours the numbers of a component: the one that it links (colorMap), the last one of its node,
// or of the nearest above; or NULL.
const dvObject *dv_map_of(const dvObject *o);
// The range of numbers that a component asks for (userRange), low < high; or none.
bool dv_map_range(const dvObject *o, double range[2]);
// NULL: viridis.
void dv_map_read(const dvObject *map, dvColourMap *out);
void dv_map_at(const dvColourMap *map, double t, unsigned char rgb[3]);
// Whether colorScheme names one; `names` takes all names that there are.
bool dv_map_known(const dvObject *map, const char **names);

typedef struct dvMapLegend {
  const char *title;    // "" for none
  double scale;         // of the numbers at its ends
  double low, high;     // min and max; low < high where they are given
  bool shown, hidden;   // the scene says so
} dvMapLegend;
dvMapLegend dv_map_legend(const dvObject *map);
// Those of the scene that shall be shown with their min and max although nothing that is drawn uses them; at most
// `most`.
size_t dv_map_lone(const dvDraw *draw, const dvObject **list, size_t most);
// {colours, title, scale, hidden}: of a drawable
json_t *dv_map_row(const dvObject *map);

#endif
