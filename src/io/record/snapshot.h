// Snapshots: what a scene remembers, as a file or as bytes. A scene that was read from the same file goes on from there
// with the same bits.
//
// Numbers are little-endian; a text is its length (4 bytes) and its bytes:
//
//   "DIVANSNP", format (4 bytes), program version, instruction set, scene file, fingerprint of the scene (8 bytes),
//   number of edits (4 bytes), each: path, field, value as text (fields that a program or a user has changed),
//   number of components (8 bytes), each: path, class, number of entries (4 bytes), each: name, kind (4 bytes),
//   bytes of an element (4 bytes), elements (8 bytes),
//   number of bytes (8 bytes), the bytes of all entries one after the other, checksum of all before (8 bytes).
#ifndef DV_IO_RECORD_SNAPSHOT_H
#define DV_IO_RECORD_SNAPSHOT_H

#include "scene/node.h"

// Meshes that have changed since the scene was read go with it, as what was done to them (topology/change/journal.h).

// Saves a scene that is initialised. The file is replaced by a complete one or not at all. Mistakes go to the log.
dvStatus dv_snapshot_write(dvScene *scene, const char *path);
// Restores a scene that is initialised. A snapshot that does not fit is refused with a message that says what differs,
// and the scene stays as it was.
dvStatus dv_snapshot_read(dvScene *scene, const char *path);
// The same with bytes; the caller frees those of pack, NULL when it cannot be saved. `name` is used in messages.
void *dv_snapshot_pack(dvScene *scene, size_t *length);
dvStatus dv_snapshot_unpack(dvScene *scene, const void *bytes, size_t length, const char *name);

#endif
