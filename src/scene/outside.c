// See outside.h.
#include "scene/outside.h"

#include "base/file.h"

#include <stdlib.h>

bool dv_outside_is_permitted(const dvObject *o, const char *what)
{
  const char *offline = getenv("DIVAN_OFFLINE");
  if (dv_file_confined())
    dv_warning(o, "open the scene by its name: divan view SCENE",
               "a scene that came through the page opens no %s: %s does nothing", what, o->name);
  else if (offline && *offline) dv_note(o, "DIVAN_OFFLINE is set: %s opens no %s", o->name, what);
  else return true;
  return false;
}
