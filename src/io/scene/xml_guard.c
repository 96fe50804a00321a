// See xml_guard.h. The allocator of libxml2 belongs to the process: it is replaced while somebody parses, unless the
// host program has set one of its own, and put back afterwards. The functions here fit those of the C library, so
// blocks may be freed by either.
#include "io/scene/xml_guard.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users;
static bool replaced;

static void *guarded_malloc(size_t n)
{
  void *block = malloc(n);
  if (block) return block;
  dv_memory_give_up_reserve();
  return malloc(n);
}

static void *guarded_realloc(void *old, size_t n)
{
  void *block = realloc(old, n);
  if (block) return block;
  dv_memory_give_up_reserve();
  return realloc(old, n);
}

static char *guarded_strdup(const char *text)
{
  size_t n = strlen(text) + 1;
  char *copy = guarded_malloc(n);
  return copy ? memcpy(copy, text, n) : NULL;
}

static void take_over(bool on)
{
  xmlFreeFunc f;
  xmlMallocFunc m;
  xmlReallocFunc r;
  xmlStrdupFunc s;
  xmlMemGet(&f, &m, &r, &s);
  if (on && (replaced = f == free && m == malloc && r == realloc))
    xmlMemSetup(free, guarded_malloc, guarded_realloc, guarded_strdup);
  if (!on && replaced && m == guarded_malloc) xmlMemSetup(free, malloc, realloc, strdup);
}

static void hear(void *user, xmlErrorPtr e)
{
  if (e->code == XML_ERR_NO_MEMORY) ((dvXmlGuard *)user)->ran_short = true;
}

void dv_xml_guard_begin(dvXmlGuard *g)
{
  pthread_mutex_lock(&lock);
  if (users++ == 0) take_over(true);
  pthread_mutex_unlock(&lock);
  *g = (dvXmlGuard){.others = xmlStructuredError, .others_context = xmlStructuredErrorContext};
  xmlSetStructuredErrorFunc(g, hear);
}

void dv_xml_guard_end(dvXmlGuard *g)
{
  xmlSetStructuredErrorFunc(g->others_context, g->others);
  xmlResetLastError();
  pthread_mutex_lock(&lock);
  if (--users == 0) take_over(false);
  pthread_mutex_unlock(&lock);
  if (g->ran_short) dv_memory_give_up_reserve();
}
