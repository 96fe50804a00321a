// Recordings on the command line: run --record and --export, convert FILE.divr.
#ifndef DIVAN_RECORDED_H
#define DIVAN_RECORDED_H

#include "command.h"
#include "view/recording.h"

// Begins what --record and --export ask for; nothing when they do not.
dvStatus record_begin(const Options *r, dvScene *scene, dvRecorder **recorder);
// Ends it and writes what --export asks for.
dvStatus record_end(const Options *r, dvRecorder **recorder);
// divan convert FILE.divr OUT
int convert_recording(const Options *o);

#endif
