// Display flags of a scene. See flags.h.
//
// The words form a tree (all; visual, behavior, collision, mapping; each kind of thing). A word for a branch holds for
// all of it, and words inside that branch are then not looked at; "show" wins over "hide" of the same name. That is
// what SOFA does.
#include "view/flags.h"

#include "visual/style.h"

#include <string.h>
#include <strings.h>

typedef struct Word {
  const char *names[2];   // without show and hide; the second is an old one
  int depth;
  int flag;   // -1 for a branch
} Word;

static const Word words[] = {
    {{"All"}, 0, -1},
    {{"Visual"}, 1, -1},
    {{"VisualModels"}, 2, DV_DRAW_VISUAL},
    {{"Behavior"}, 1, -1},
    {{"BehaviorModels"}, 2, DV_DRAW_BEHAVIOR},
    {{"ForceFields"}, 2, DV_DRAW_FORCE_FIELDS},
    {{"InteractionForceFields"}, 2, DV_DRAW_INTERACTIONS},
    {{"InteractionForceFields"}, 2, DV_DRAW_CONTACTS},   // SOFA draws contacts with them
    {{"Collision"}, 1, -1},
    {{"CollisionModels"}, 2, DV_DRAW_COLLISION},
    {{"BoundingCollisionModels", "BoundingTree"}, 2, DV_DRAW_BOUNDS},
    {{"Mapping"}, 1, -1},
    {{"Mappings"}, 2, DV_DRAW_MAPPINGS},
    {{"MechanicalMappings"}, 2, DV_DRAW_MECHANICAL_MAPPINGS},
    {{"Options"}, 0, -1},
    {{"Wireframe"}, 1, DV_FLAG_WIREFRAME},
    {{"Normals"}, 1, DV_FLAG_NORMALS},
};

static bool has_word(const char *text, const char *verb, const char *name)
{
  size_t v = strlen(verb), n = strlen(name);
  for (const char *at = text; *at;) {
    at += strspn(at, " \t\r\n");
    size_t length = strcspn(at, " \t\r\n");
    if (length == v + n && strncasecmp(at, verb, v) == 0 && strncasecmp(at + v, name, n) == 0) return true;
    at += length;
  }
  return false;
}

static int said(const char *text, const Word *w)
{
  int say = 0;
  for (int i = 0; i < 2 && w->names[i]; i++) {
    if (has_word(text, "hide", w->names[i])) say = say ? say : -1;
    if (has_word(text, "show", w->names[i])) say = 1;
  }
  return say;
}

void dv_flags_read(dvFlags *flags, const char *text)
{
  int above = 0, depth = 100;   // what the branch we are in says, and where it ends
  for (size_t i = 0; i < DV_COUNT(words); i++) {
    const Word *w = &words[i];
    if (w->depth <= depth) above = 0, depth = 100;
    int say = above ? above : said(text, w);
    if (say && w->flag >= 0) flags->say[w->flag] = (signed char)say;
    if (say && !above && w->flag < 0) above = say, depth = w->depth;
  }
}

static void read_node(dvFlags *flags, const dvNode *node)
{
  dv_flags_read(flags, dv_display_flags(&node->base));
  for (size_t i = 0; i < node->objects.count; i++) dv_flags_read(flags, dv_display_flags(node->objects.data[i]));
}

dvFlags dv_flags_of(const dvNode *node)
{
  dvFlags flags = node->parents.count ? dv_flags_of(node->parents.data[0]) : (dvFlags){0};
  read_node(&flags, node);
  return flags;
}

typedef struct Look {
  dvVisitor visitor;
  dvFlags seen;
} Look;

static dvWalk look_at(dvVisitor *v, dvNode *node)
{
  read_node(&((Look *)v)->seen, node);
  return DV_WALK_ON;
}

bool dv_flags_given(const dvScene *scene)
{
  Look look = {.visitor = {.top_down = look_at}};
  dv_visit(scene->root, &look.visitor);
  for (int i = 0; i < DV_FLAGS; i++)
    if (look.seen.say[i]) return true;
  return false;
}

unsigned dv_flags_groups(const dvDraw *draw)
{
  dvFlags root = dv_flags_of(draw->scene->root);
  unsigned groups = 0;
  for (int g = 0; g < DV_DRAW_GROUPS; g++) {
    int best = -2;
    for (size_t i = 0; i < draw->list.count; i++) {
      const dvDrawable *a = &draw->list.data[i];
      if (a->group == (dvDrawGroup)g && a->say > best) best = a->say;
    }
    if (best == -2) best = root.say[g];
    if (best > 0 || (best == 0 && (g == DV_DRAW_VISUAL || g == DV_DRAW_INTERACTIONS))) groups |= 1u << g;
  }
  return groups;
}
