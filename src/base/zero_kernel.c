#include "base/isa.h"
typedef int dvNothing;
