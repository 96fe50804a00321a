// Classes that act on events or write what happens.
#ifndef DV_CONTROL_CONTROLLERS_H
#define DV_CONTROL_CONTROLLERS_H

#include "object/object.h"

extern const dvClass dv_mechanical_state_controller_class, dv_input_event_reader_class, dv_pause_on_event_class,
    dv_monitor_class, dv_skeleton_controller_class, dv_data_exchange_class, dv_message_file_class;

#endif
