// Running commands from tests.
#ifndef DV_TESTS_COMMAND_H
#define DV_TESTS_COMMAND_H

#include "base/base.h"

// Runs a shell command with its whole output in *out (the caller frees it); the exit status, -1 when it was killed.
int check_shell(char **out, const char *format, ...) DV_PRINTF(2, 3);
// Fails the test, with the output, unless the command ends with `status` and prints `contains` (may be NULL).
void check_command(int status, const char *contains, const char *format, ...) DV_PRINTF(3, 4);

#endif
