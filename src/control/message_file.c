// FileMessageHandlerComponent: what is told about a scene goes to a file too, a line for each message. The file is
// written with the first step; what was told before stands at its beginning.
#include "control/controllers.h"

#include "io/record/record.h"

#include <string.h>

#define MESSAGE_FILE_FIELDS(X) X(string, filename, "", "", "file to write messages to", .flags = DV_REQUIRED)

typedef struct MessageFile {
  dvObject base;
  MESSAGE_FILE_FIELDS(DV_MEMBER)
  dvLogTap tap;
  dvRecord file;
  dvText early;   // told before the file has its name
  bool failed;
} MessageFile;

#define SELF MessageFile
static const dvFieldDesc message_file_fields[] = {MESSAGE_FILE_FIELDS(DV_DESCRIBE)};
#undef SELF

static void add(MessageFile *f, const char *text, size_t length)
{
  if (f->failed || dv_record_add(&f->file, f->base.node->scene, text, length)) return;
  f->failed = true;
  dv_field_warning(&f->base, &f->filename, NULL, "%s cannot be written", f->filename);
}

static void write_message(void *user, const dvMessage *m)
{
  static const char *const levels[] = {"info", "note", "warning", "error"};
  MessageFile *f = user;
  dvText line = {0};
  if (m->place.file) dv_text_printf(&line, "%s:%d: ", m->place.file, m->place.line);
  dv_text_printf(&line, "%s: %s%s%s", levels[m->level], m->path ? m->path : "", m->path ? ": " : "", m->text);
  if (m->advice) dv_text_printf(&line, " (%s)", m->advice);
  dv_text_add(&line, "\n");
  if (!dv_record_is_open(&f->file)) dv_text_add(&f->early, line.text);
  else add(f, line.text, line.length);
  dv_text_free(&line);
}

// listens from its element on, so that what is wrong with later ones is in the file
static dvStatus message_file_parse(dvObject *o, dvAttributes *attributes)
{
  MessageFile *f = (MessageFile *)o;
  DV_UNUSED(attributes);
  f->tap = (dvLogTap){.sink = write_message, .user = f};
  dv_log_tap(&o->context->log, &f->tap);
  return DV_OK;
}

static dvStatus message_file_link(dvObject *o)
{
  MessageFile *f = (MessageFile *)o;
  if (!*f->filename) return dv_error(o, "give filename=\"messages.txt\"", "%s has no file to write to", o->name);
  if (dv_record_is_open(&f->file)) return DV_OK;
  if (!dv_record_open(&f->file, f->filename)) {
    dv_field_warning(o, &f->filename, NULL, "%s cannot be written", f->filename);
    return DV_OK;
  }
  add(f, f->early.text ? f->early.text : "", f->early.length);
  dv_text_free(&f->early);
  return DV_OK;
}

// a file without messages is written too: it tells that there were none
static void message_file_handle_event(dvObject *o, const dvEvent *event)
{
  MessageFile *f = (MessageFile *)o;
  if (event->kind == DV_EVENT_ANIMATE_BEGIN && dv_record_is_open(&f->file)) add(f, "", 0);
}

static void message_file_remember(dvObject *o, dvMemoryStream *s) { dv_record_remember(&((MessageFile *)o)->file, s); }

static void message_file_destroy(dvObject *o)
{
  MessageFile *f = (MessageFile *)o;
  dv_log_untap(&o->context->log, &f->tap);
  dv_record_close(&f->file);
  dv_text_free(&f->early);
}

const dvClass dv_message_file_class = {
    .struct_size = sizeof(dvClass),
    .name = "FileMessageHandlerComponent",
    .help = "writes messages about the scene to a file, too",
    .module = "Sofa.Component.SceneUtility",
    .roles = DV_PLAYS(DV_ROLE_SETTING),
    .size = sizeof(MessageFile),
    .blocks = {&dv_object_block, DV_BLOCK(message_file_fields)},
    .parse = message_file_parse,
    .link = message_file_link,
    .handle_event = message_file_handle_event,
    .remember = message_file_remember,
    .destroy = message_file_destroy,
};
