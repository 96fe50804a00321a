/* Fields: the values of a component that scenes can set, read, print and link.

   A component lists its fields once:

     #define SPRING_FIELDS(X)                                            \
       X(real,  stiffness, "100", "N/m",   "stiffness of every spring")  \
       X(real,  damping,   "5",   "N s/m", "damping along the spring", .alias = "kd")

     typedef struct Spring { dvForce base; SPRING_FIELDS(DV_MEMBER) } Spring;
     #define SELF Spring
     static const dvFieldDesc spring_fields[] = {SPRING_FIELDS(DV_DESCRIBE)};

   That yields the members, their defaults, reading and writing, help and documentation.
   What follows the help text sets further members of dvFieldDesc. */
#ifndef DV_OBJECT_FIELD_H
#define DV_OBJECT_FIELD_H

#include "base/log.h"
#include "base/text.h"
#include "object/dof.h"
#include "object/values.h"

DV_PUBLIC_BEGIN

typedef struct dvObject dvObject;
typedef struct dvField dvField;

typedef enum dvFieldType {
  DV_T_BOOL,
  DV_T_INT,
  DV_T_REAL,
  DV_T_STRING,
  DV_T_FILE,     // a string that names a file
  DV_T_CHOICE,   // an int: index into `options`
  DV_T_VEC,      // `width` doubles
  DV_T_COLOUR,   // 4 doubles; also reads colour names
  DV_T_IVEC,     // `width` ints
  DV_T_REALS,    // dvReals in tuples of `width`
  DV_T_INTS,     // dvInts in tuples of `width`; width 1 reads ranges such as 0-255
  DV_T_LISTS,    // dvLists: "[0,1,2] [3,4]"; a number outside of brackets is a list of its own
  DV_T_STRINGS,
  DV_T_COORD,   // one coordinate of the component's DOF type
  DV_T_DERIV,
  DV_T_COORDS,   // dvReals whose width comes from the DOF type
  DV_T_DERIVS,
  DV_T_LINK,   // to a component or node
  DV_T_LINKS,
} dvFieldType;

// A link to another component (or node). `target` is set once all of the scene is read.
typedef struct dvLink {
  char *path;         // as written, NULL when not given
  dvObject *target;   // borrowed
} dvLink;

typedef struct dvLinks {
  dvLink *data;
  size_t count;
} dvLinks;

enum {
  DV_INPUT = 1 << 0,        // an engine recomputes its outputs when this changes
  DV_OUTPUT = 1 << 1,       // computed by the component
  DV_NO_SRC = 1 << 2,       // not linked by src="@other"
  DV_HIDDEN = 1 << 3,       // not shown in forms
  DV_READ_ONLY = 1 << 4,    // shown, not written
  DV_LOOKS = 1 << 5,        // concerns only how things are drawn
  DV_REQUIRED = 1 << 6,     // the component cannot work without it
  DV_SIGNED = 1 << 7,       // a stiffness or damping whose sign the class judges itself
  DV_IDLE = 1 << 8,         // does nothing: who sets it to another value is told so; the help begins with "no effect: "
  DV_BY_PROGRAM = 1 << 9,   // a program has made it: scene files do not know it
};

typedef struct dvFieldDesc {
  const char *name;
  dvFieldType type;
  int width;
  size_t offset;         // of the member in the component
  const char *initial;   // default, as text
  const char *unit;
  const char *help;
  // optional, given behind the help text
  const char *spelling;       // the name in scenes, where it is not a C identifier
  const char *alias;          // other names, separated by spaces
  const char *options;        // DV_T_CHOICE: names separated by |
  const char *least, *most;   // what makes sense, as text; NULL for no end. Only shown: init says what does not work
  unsigned flags;
  unsigned role;       // DV_T_LINK: dvRole of the target, DV_ROLE_ANY by default
  const char *group;   // of fields that a program has added: a word under which they are shown; may be NULL
} dvFieldDesc;

// A list of fields at some level of a component: of every object, of its role, of its own.
typedef struct dvFieldBlock {
  const dvFieldDesc *fields;
  int count;
} dvFieldBlock;

// member types
typedef double dvVec2f[2], dvVec3f[3], dvVec4f[4], dvVec6f[6], dvMat3f[9], dvMat34f[12], dvMat4f[16],
    dvOne[DV_MAX_COORD];
typedef int32_t dvVec2i[2], dvVec3i[3], dvVec6i[6];
typedef char *dvString;
#define DV_C_bool bool
#define DV_C_int int32_t
#define DV_C_real double
#define DV_C_string dvString
#define DV_C_file dvString
#define DV_C_choice int32_t
#define DV_C_vec2 dvVec2f
#define DV_C_vec3 dvVec3f
#define DV_C_vec4 dvVec4f
#define DV_C_vec6 dvVec6f
#define DV_C_mat3 dvMat3f
#define DV_C_mat34 dvMat34f
#define DV_C_mat4 dvMat4f
#define DV_C_color dvVec4f
#define DV_C_ivec2 dvVec2i
#define DV_C_ivec3 dvVec3i
#define DV_C_ivec6 dvVec6i
#define DV_C_reals dvReals
#define DV_C_vec2s dvReals
#define DV_C_vec3s dvReals
#define DV_C_vec4s dvReals
#define DV_C_vec5s dvReals
#define DV_C_vec6s dvReals
#define DV_C_frames dvReals
#define DV_C_vec10s dvReals
#define DV_C_ints dvInts
#define DV_C_bools dvInts
#define DV_C_indices dvInts
#define DV_C_edges dvInts
#define DV_C_triangles dvInts
#define DV_C_quads dvInts
#define DV_C_tetrahedra dvInts
#define DV_C_pyramids dvInts
#define DV_C_prisms dvInts
#define DV_C_hexahedra dvInts
#define DV_C_lists dvLists
#define DV_C_strings dvStrings
#define DV_C_coord dvOne
#define DV_C_deriv dvOne
#define DV_C_coords dvReals
#define DV_C_derivs dvReals
#define DV_C_link dvLink
#define DV_C_links dvLinks
// field type and width
#define DV_F_bool DV_T_BOOL, 1
#define DV_F_int DV_T_INT, 1
#define DV_F_real DV_T_REAL, 1
#define DV_F_string DV_T_STRING, 1
#define DV_F_file DV_T_FILE, 1
#define DV_F_choice DV_T_CHOICE, 1
#define DV_F_vec2 DV_T_VEC, 2
#define DV_F_vec3 DV_T_VEC, 3
#define DV_F_vec4 DV_T_VEC, 4
#define DV_F_vec6 DV_T_VEC, 6
#define DV_F_mat3 DV_T_VEC, 9
#define DV_F_mat34 DV_T_VEC, 12
#define DV_F_mat4 DV_T_VEC, 16
#define DV_F_color DV_T_COLOUR, 4
#define DV_F_ivec2 DV_T_IVEC, 2
#define DV_F_ivec3 DV_T_IVEC, 3
#define DV_F_ivec6 DV_T_IVEC, 6
#define DV_F_reals DV_T_REALS, 1
#define DV_F_vec2s DV_T_REALS, 2
#define DV_F_vec3s DV_T_REALS, 3
#define DV_F_vec4s DV_T_REALS, 4
#define DV_F_vec5s DV_T_REALS, 5
#define DV_F_vec6s DV_T_REALS, 6
#define DV_F_frames DV_T_REALS, 7
#define DV_F_vec10s DV_T_REALS, 10
#define DV_F_ints DV_T_INTS, 1
#define DV_F_bools DV_T_INTS, 1
#define DV_F_indices DV_T_INTS, 1
#define DV_F_edges DV_T_INTS, 2
#define DV_F_triangles DV_T_INTS, 3
#define DV_F_quads DV_T_INTS, 4
#define DV_F_tetrahedra DV_T_INTS, 4
#define DV_F_pyramids DV_T_INTS, 5
#define DV_F_prisms DV_T_INTS, 6
#define DV_F_hexahedra DV_T_INTS, 8
#define DV_F_lists DV_T_LISTS, 1
#define DV_F_strings DV_T_STRINGS, 1
#define DV_F_coord DV_T_COORD, 0
#define DV_F_deriv DV_T_DERIV, 0
#define DV_F_coords DV_T_COORDS, 0
#define DV_F_derivs DV_T_DERIVS, 0
#define DV_F_link DV_T_LINK, 1
#define DV_F_links DV_T_LINKS, 1

#define DV_MEMBER(type, member, ...) DV_C_##type member;
// a comma in DV_F_* must be split before the struct is filled
#define DV_DESCRIBE(type, member, initial_, unit_, help_, ...) \
  DV_DESCRIBE_(DV_F_##type, member, initial_, unit_, help_, ##__VA_ARGS__)
#define DV_DESCRIBE_(...) DV_DESCRIBE_FILL(__VA_ARGS__)
#define DV_DESCRIBE_FILL(type_, width_, member, initial_, unit_, help_, ...) \
  {.name = #member,                                                          \
   .type = type_,                                                            \
   .width = width_,                                                          \
   .offset = offsetof(SELF, member),                                         \
   .initial = initial_,                                                      \
   .unit = unit_,                                                            \
   .help = help_,                                                            \
   ##__VA_ARGS__},

// A field of one object at run time.
struct dvField {
  const dvFieldDesc *desc;
  dvObject *owner;
  void *value;        // the member
  int width;          // resolved for the DOF type
  bool was_set;       // by the scene or the program
  bool edited;        // from outside, while the scene ran
  bool busy;          // being pulled: guards against cycles
  uint32_t counter;   // moves with every change
  dvField *source;    // linked to, or NULL
  uint32_t source_seen;
  uint64_t fresh;   // moves of the context when it was last found to be up to date
  char *link;       // the link as written, or NULL
  dvPlace place;    // where it was set
};

static inline bool dv_holds_reals(dvFieldType t) { return t == DV_T_REALS || t == DV_T_COORDS || t == DV_T_DERIVS; }
static inline const char *dv_field_name(const dvFieldDesc *desc)
{
  return desc->spelling ? desc->spelling : desc->name;
}

void dv_field_init(dvField *f, dvObject *owner, const dvFieldDesc *desc);                   // also sets the default
void dv_field_init_at(dvField *f, dvObject *owner, const dvFieldDesc *desc, void *value);   // a value that is no member
void dv_field_fini(dvField *f);
// Reads a text into the field. On failure the field keeps its value and `why` (may be NULL) gets a sentence; after
// success `why` may hold a remark, for example on numbers that were left out.
dvStatus dv_field_parse(dvField *f, const char *text, dvText *why);
// Appends the value as text that parses back.
void dv_field_print(const dvField *f, dvText *out);
const char *dv_field_type_name(const dvFieldDesc *desc);

// Marks a change made by the program.
void dv_field_touch(dvField *f);
// Marks a value that was made again, on being asked for, from values that others had changed. Whoever was up to date
// stays so: he would have asked for it. So a chain of fields costs a walk, not a walk for each of its links.
void dv_field_renew(dvField *f);
// Brings the value up to date: follows the link, runs the engine that makes it. DV_OK when there is nothing to do.
dvStatus dv_field_pull(dvField *f);
// Makes `f` follow `source`. Fails when the types do not fit or a cycle would close.
dvStatus dv_field_link(dvField *f, dvField *source, dvText *why);
void dv_field_unlink(dvField *f);
// Takes over the value of `source` now, sharing storage where the types allow it.
dvStatus dv_field_copy(dvField *f, const dvField *source, dvText *why);

// Reads "r g b [a]" or a colour name or #rrggbb[aa]; false when it is none of them.
bool dv_colour_parse(const char *text, double rgba[4]);

DV_PUBLIC_END

#endif
