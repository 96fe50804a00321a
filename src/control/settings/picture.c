// Rows of settings.h. What is drawn beside the models: axes, grids, texts, cut planes.
#include "control/settings/settings.h"

#define VISUAL_MODULE "Sofa.Component.Visual"
#define RENDERING_2D "Sofa.GL.Component.Rendering2D"
#define RENDERING_3D "Sofa.GL.Component.Rendering3D"

static const char enable[] = "enable bool = 1 | draw it\n";

static const dvSettingRow rows[] = {
    {"LineAxis", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "lines along the axes", enable,
     "axis string = xyz | which axes\n"
     "size real = 10 | length [m]\n"
     "infinite bool = 0 | without end\n"
     "thickness real = 1 | width of the lines [pixels]\n"
     "vanishing bool = 0 | fade when they point at the camera\n"
     "nbLineSegments int = 1 | pieces a line\n",
     NULL, NULL},
    {"VisualGrid", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "a grid in a plane", enable,
     "plane string = z | normal of the plane: x, y or z\n"
     "size real = 10 | size [m]\n"
     "nbSubdiv int = 16 | number of fields\n"
     "color color = 0.34117648 0.34117648 0.34117648 1 | colour of the lines\n"
     "thickness real = 1 | width of the lines [pixels]\n"
     "nbLineSegments int = 1 | pieces a line\n",
     NULL, NULL},
    {"VisualBoundingBox", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "the box around its node", enable,
     "color color = 1 1 0 1 | colour of the lines\n"
     "thickness real = 1 | width of the lines [pixels]\n",
     NULL, NULL},
    {"VisualTransform", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "moves what is drawn of its node, not what is simulated",
     enable,
     "transform reals | frame: position and quaternion\n"
     "recursive bool = 0 | also for the nodes below\n",
     NULL, NULL},
    {"Visual3DText", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "a text in the scene", enable,
     "text string | the text\n"
     "position vec3 = 0 0 0 | where it stands [m]\n"
     "scale real = 1 | size of the letters\n"
     "color color = 1 1 1 1 | colour\n"
     "depthTest bool = 1 | nearer things hide it\n",
     NULL, NULL},
    {"OglSceneFrame", NULL, RENDERING_3D, DV_ROLE_VISUAL, "the axes of the scene in a corner of the picture",
     "draw bool = 1 | draw them\n"
     "style string = Cylinders | Arrows, Cylinders or CubeCones\n"
     "alignment string = BottomRight | corner of the picture\n"
     "viewportSize int = 150 | size [pixels]\n",
     enable, NULL, NULL},
    {"OglLabel", NULL, RENDERING_2D, DV_ROLE_VISUAL, "a text on the picture",
     "prefix string | before the text\n"
     "label string | the text, often linked to another field\n"
     "suffix string | behind the text\n"
     "x int = 10 | distance from the left [pixels]\n"
     "y int = 10 | distance from the top [pixels]\n"
     "fontsize int = 14 | size of the letters [pixels]\n"
     "color color = gray | colour\n"
     "selectContrastingColor bool = 0 | choose a colour that is readable on the background\n"
     "updateLabelEveryNbSteps int = 0 | steps between changes of the text\n",
     enable, NULL, NULL},
    {"OglColorMap", "ColorMap", RENDERING_2D, DV_ROLE_VISUAL, "which colour stands for which number",
     "paletteSize int = 256 | number of colours\n"
     "colorScheme string = HSV | name of the palette\n"
     "showLegend bool = 0 | draw a scale\n"
     "legendOffset vec2 = 10 5 | where the scale stands [pixels]\n"
     "legendTitle string | title of the scale\n"
     "legendSize int = 11 | size of the letters [pixels]\n"
     "min real = 0 | smallest number\n"
     "max real = 0 | largest number\n"
     "legendRangeScale real = 1 | factor of the numbers on the scale\n",
     enable, NULL, NULL},
    {"ClipPlane", NULL, RENDERING_3D, DV_ROLE_VISUAL, "cuts the picture open",
     "position vec3 = 0 0 0 | a point of the plane [m]\n"
     "normal vec3 = 1 0 0 | towards what is kept\n"
     "id int = 0 | number of the plane\n"
     "active bool = 1 | cut\n",
     enable, NULL, NULL},
};
const dvSettingTable dv_picture_settings = {rows, DV_COUNT(rows)};
