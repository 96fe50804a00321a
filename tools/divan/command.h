// The verbs of the command.
#ifndef DIVAN_COMMAND_H
#define DIVAN_COMMAND_H

#include "app/divan.h"
#include "base/array.h"

typedef struct Command {
  const char *name, *summary, *usage;
  int (*run)(int count, char **arguments);   // without the verb; the exit status
} Command;

extern const Command command_run, command_check, command_info, command_list, command_convert, command_bench,
    command_validate, command_view, command_new_plugin;

// Options that several verbs take.
typedef struct Options {
  const char *scene, *second;
  DV_ARRAY(const char *) data, plugins, plugin_paths;
  int threads;
  const char *compat;   // NULL: the scene decides
} Options;

// Reads one option that all scene verbs know (--data DIR, --plugin NAME, --plugin-path DIR, --compat MODE, --threads N,
// a file name).
// Returns how many arguments it used, 0 when it is none of them, -1 after a message.
int option_common(const Command *c, Options *o, int count, char **arguments);
// The value of an option as a number in [low, high]; false after a message.
bool option_number(const Command *c, const char *option, const char *text, double low, double high, double *out);
// The same for a number without a fraction, like a count of steps.
bool option_count(const Command *c, const char *option, const char *text, double low, double high, long *out);
int usage_error(const Command *c, const char *format, ...) DV_PRINTF(2, 3);
int unknown_option(const Command *c, const char *option);
bool wants_help(const Command *c, int count, char **arguments);
// A context with the directories and plugins of the options; a plugin that cannot be loaded is an error in its log.
dvContext *context_for(const Options *o);
void options_free(Options *o);
void print_summary_of_messages(const dvLog *log);

// Can a file, can a directory with files in it be written there? NULL can. False after a message with the cause;
// nothing is left behind.
bool output_file(const char *path);
bool output_directory(const char *path);
bool cannot_write(const char *path);   // says so, with the cause in errno; false

// From now on the first Ctrl-C (or SIGTERM) is remembered, the second ends the program at once.
void catch_interrupts(void);
// 0, or what the program is to return when all is written: 130 after Ctrl-C, 143 after SIGTERM.
int interrupted(void);

#endif
