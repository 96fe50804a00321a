// Fields of every exporter.
#ifndef DV_IO_RECORD_EXPORTER_H
#define DV_IO_RECORD_EXPORTER_H

#include "object/object.h"

#define DV_EXPORTER_FIELDS(X)                                                                 \
  X(string, filename, "", "", "file or folder to write to; the component's name by default")  \
  X(int, exportEveryNumberOfSteps, "0", "steps", "write after every so many steps; 0: never") \
  X(bool, exportAtBegin, "0", "", "write when the scene is ready, before the first step")     \
  X(bool, exportAtEnd, "0", "", "write when the scene ends")                                  \
  X(bool, enable, "1", "", "write at all")

#endif
