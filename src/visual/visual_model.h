// Visual models: surfaces that mappings move. Their positions are a state without velocities or forces.
//
// `vertices` and `normal` follow the positions like outputs of an engine: they are computed when somebody pulls them
// (dv_pull), so a run without a picture does not pay for them.
#ifndef DV_VISUAL_VISUAL_MODEL_H
#define DV_VISUAL_VISUAL_MODEL_H

#include "state/state.h"
#include "visual/parts.h"

#define DV_VISUAL_STATE_FIELDS(X)                                                \
  X(bool, enable, "1", "", "draw the model", .flags = DV_LOOKS)                  \
  X(vec3s, position, "", "m", "positions that mappings move", .flags = DV_INPUT) \
  X(vec3s, restPosition, "", "m", "positions at the start")                      \
  X(vec3s, normal, "", "", "unit normals of the vertices", .flags = DV_LOOKS | DV_OUTPUT)

#define DV_VISUAL_MODEL_FIELDS(X)                                                                                      \
  X(bool, initRestPositions, "0", "", "accepted: rest positions are always kept", .flags = DV_LOOKS)                   \
  X(bool, useNormals, "1", "", "keep corners apart that have different normals in the file", .flags = DV_LOOKS)        \
  X(bool, updateNormals, "1", "", "compute the normals again when the vertices moved", .flags = DV_LOOKS)              \
  X(bool, computeTangents, "0", "", "tangents for normal maps", .flags = DV_LOOKS)                                     \
  X(bool, updateTangents, "1", "", "compute tangents again when the vertices moved", .flags = DV_LOOKS)                \
  X(bool, computeTextureCoordinates, "0", "", "texture coordinates from a sphere around the model", .flags = DV_LOOKS) \
  X(bool, handleDynamicTopology, "1", "", "follow changes of the topology", .flags = DV_LOOKS)                         \
  X(bool, fixMergedUVSeams, "1", "", "keep tangents right across texture seams", .flags = DV_LOOKS)                    \
  X(bool, keepLines, "0", "", "draw the edges of the file too", .flags = DV_LOOKS)                                     \
  X(vec3s, vertices, "", "m", "positions of the vertices, where a position has several",                               \
    .flags = DV_LOOKS | DV_OUTPUT)                                                                                     \
  X(vec2s, texcoords, "", "", "texture coordinates of the vertices", .flags = DV_LOOKS)                                \
  X(vec3s, tangents, "", "", "tangents of the vertices", .flags = DV_LOOKS)                                            \
  X(vec3s, bitangents, "", "", "second tangents of the vertices", .flags = DV_LOOKS)                                   \
  X(edges, edges, "", "", "edges to draw, pairs of vertices", .flags = DV_LOOKS | DV_NO_SRC)                           \
  X(triangles, triangles, "", "", "triangles to draw, triples of vertices", .flags = DV_INPUT)                         \
  X(quads, quads, "", "", "quads to draw, quadruples of vertices", .flags = DV_INPUT)                                  \
  X(indices, vertPosIdx, "", "", "position of each vertex, where a position has several vertices",                     \
    .flags = DV_LOOKS | DV_INPUT)                                                                                      \
  X(indices, vertNormIdx, "", "", "vertices of the same number share a normal", .flags = DV_LOOKS | DV_INPUT)          \
  X(file, filename, "", "", "mesh file to draw", .alias = "fileMesh")                                                  \
  X(file, texturename, "", "", "picture to draw the surface with", .flags = DV_LOOKS)                                  \
  X(vec3, translation, "0 0 0", "m", "moves the model at the start", .flags = DV_NO_SRC)                               \
  X(vec3, rotation, "0 0 0", "degrees", "turns the model at the start, about x, y, z", .flags = DV_NO_SRC)             \
  X(vec3, scale3d, "1 1 1", "", "scales the model at the start", .flags = DV_NO_SRC)                                   \
  X(vec2, scaleTex, "1 1", "", "scales the texture coordinates", .flags = DV_LOOKS | DV_NO_SRC)                        \
  X(vec2, translationTex, "0 0", "", "moves the texture coordinates", .flags = DV_LOOKS | DV_NO_SRC)                   \
  X(string, material, "", "",                                                                                          \
    "a name, then Diffuse, Ambient, Specular, Emissive, Shininess, each with 0 or 1 and its values",                   \
    .flags = DV_LOOKS)                                                                                                 \
  X(color, color, "1 1 1 1", "", "colour of the surface where no material is given", .flags = DV_LOOKS)                \
  X(bool, putOnlyTexCoords, "0", "", "use texture coordinates without a texture", .flags = DV_LOOKS)                   \
  X(bool, srgbTexturing, "0", "", "the texture is in sRGB", .flags = DV_LOOKS)                                         \
  X(string, materials, "", "", "materials of the groups", .flags = DV_LOOKS)                                           \
  X(string, groups, "", "", "groups of faces that share a material", .flags = DV_LOOKS)                                \
  X(link, topology, "", "", "topology to draw, when the model has no faces of its own", .role = DV_ROLE_TOPOLOGY)

// First member of every visual model that mappings can move.
typedef struct dvVisualState {
  dvState state;
  DV_VISUAL_STATE_FIELDS(DV_MEMBER)
} dvVisualState;

typedef struct dvVisualModel {
  dvVisualState base;
  DV_VISUAL_MODEL_FIELDS(DV_MEMBER)
  dvVisualParts parts;   // as the file has them
  size_t normal_count;   // shared normals
  uint64_t shape;        // stamp of faces and indices at the last check
  bool ready;            // the mesh is loaded and checked
  bool follows_mesh;     // its faces are those of the topology
  bool filled;           // a mapping makes its points and faces: said before it is initialised
} dvVisualModel;

#define DV_OGL_MODEL_FIELDS(X)                                                                               \
  X(bool, blendTranslucency, "1", "", "blend what is translucent", .flags = DV_LOOKS)                        \
  X(bool, premultipliedAlpha, "0", "", "colours are already multiplied by their opacity", .flags = DV_LOOKS) \
  X(bool, writeZTransparent, "0", "", "translucent parts hide what is behind them", .flags = DV_LOOKS)       \
  X(bool, alphaBlend, "0", "", "blend by opacity", .flags = DV_LOOKS)                                        \
  X(bool, depthTest, "1", "", "nearer parts hide farther ones", .flags = DV_LOOKS)                           \
  X(int, cullFace, "0", "", "0 draws both sides, 1 leaves out back faces, 2 front faces", .flags = DV_LOOKS) \
  X(real, lineWidth, "1", "pixels", "width of lines", .flags = DV_LOOKS)                                     \
  X(real, pointSize, "1", "pixels", "size of points", .flags = DV_LOOKS)                                     \
  X(bool, lineSmooth, "0", "", "smooth lines", .flags = DV_LOOKS)                                            \
  X(bool, pointSmooth, "0", "", "round points", .flags = DV_LOOKS)                                           \
  X(string, primitiveType, "DEFAULT", "", "DEFAULT, LINES_ADJACENCY, PATCHES or POINTS", .flags = DV_LOOKS)  \
  X(string, blendEquation, "", "", "how colours are blended", .flags = DV_LOOKS)                             \
  X(string, sfactor, "", "", "factor of the new colour", .flags = DV_LOOKS)                                  \
  X(string, dfactor, "", "", "factor of the colour that is there", .flags = DV_LOOKS)

typedef struct dvOglModel {
  dvVisualModel model;
  DV_OGL_MODEL_FIELDS(DV_MEMBER)
} dvOglModel;

extern const dvFieldBlock dv_visual_state_block, dv_visual_model_block, dv_ogl_model_block;

// The parts that are drawn: none where the scene itself gives the model a material or a colour, or other faces.
const dvVisualParts *dv_visual_parts(const dvVisualModel *v);
// Corners of the triangles that are drawn of each part, a quad counting as two; the first is for faces with the look of
// the model. The caller frees the list.
size_t *dv_visual_part_corners(const dvVisualModel *v, const dvVisualParts *parts);

static inline void dv_sketch_colour(dvSketch *s, const double colour[4], bool given)
{
  s->coloured = given;
  for (int i = 0; i < 4; i++) s->colour[i] = colour[i];
}

// The points that faces count: `vertices` where a position has several of them, else `position`. Pull `normal` before.
static inline const dvReals *dv_visual_vertices(const dvVisualModel *v)
{
  return v->vertices.count ? &v->vertices : &v->base.position;
}

#endif
