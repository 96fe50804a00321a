// The text of a scene as it is edited: where its tags are, and replacing pieces of it.
//
// A scene that is built in the page is its text, from the first byte to the last: comments, order, indentation and
// includes are the user's. Every change replaces a piece of the text by another one, so that it can be undone.
#ifndef DV_VIEW_DOCUMENT_H
#define DV_VIEW_DOCUMENT_H

#include "base/array.h"
#include "base/text.h"

typedef struct dvTag {
  size_t start, end;     // the start tag
  size_t close, after;   // the end tag; both are `end` where there is none
  int parent;            // number of the tag around it, or -1
  int last;              // number behind those inside of it
} dvTag;

typedef struct dvDocument {
  dvText text;
  DV_ARRAY(dvTag) tags;   // in the order of their start tags
} dvDocument;

typedef struct dvSpan {
  size_t at, length;
} dvSpan;

// Takes a text over: slips that the reader of scenes repairs are repaired, and it is UTF-8 afterwards. False when tags
// do not nest; the document is empty then.
bool dv_document_take(dvDocument *d, const char *bytes, size_t length);
void dv_document_free(dvDocument *d);
void dv_document_copy(dvDocument *to, const dvDocument *from);
// Replaces a piece. False when tags do not nest any more; the text has changed all the same, and can be changed back.
bool dv_document_replace(dvDocument *d, dvSpan piece, const char *by);

// --- tags ---
int dv_document_root(const dvDocument *d);                             // the outermost tag
bool dv_document_is(const dvDocument *d, int tag, const char *name);   // <name ...>
char *dv_document_name(const dvDocument *d, int tag);                  // the caller frees it
dvSpan dv_document_whole(const dvDocument *d, int tag);                // from start tag to end tag
int dv_document_child(const dvDocument *d, int parent,
                      int before);   // the next child behind `before` (-1: the first), or -1
// An attribute: the place of its value, between the quotes, and of all of it with the white space before. False when
// the tag has none of that name.
bool dv_document_attribute(const dvDocument *d, int tag, const char *name, dvSpan *value, dvSpan *all);
char *dv_document_value(const dvDocument *d, int tag, const char *name);   // unescaped; NULL; the caller frees it
void dv_document_escape(dvText *out, const char *value);

// --- places and pieces ---
// The lines that an element has for itself: with its indentation, the comment behind it on its line and the end of the
// line; only the element where it shares its lines with others. With `comments`, also those on the lines before it.
dvSpan dv_document_lines(const dvDocument *d, int tag, bool comments);
// What to write, and where, so that `element` (lines without indentation, as one writes them at the margin) stands in
// `parent`, before the child `before` or (-1) behind everything else. The caller frees the text.
char *dv_document_insertion(const dvDocument *d, int parent, int before, const char *element, dvSpan *place);
// What to write, and where, for an attribute to have a value; a value of NULL takes it away. False: nothing to do.
bool dv_document_setting(const dvDocument *d, int tag, const char *name, const char *value, dvSpan *place, char **text);
// Lines as they stand at the margin: without the indentation that all but the first share.
char *dv_document_margin(const dvDocument *d, dvSpan piece);

#endif
