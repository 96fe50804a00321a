// The verbs of the command and their options, which stand in one table (options.c).
#ifndef DIVAN_COMMAND_H
#define DIVAN_COMMAND_H

#include "app/divan.h"
#include "base/array.h"

typedef enum Verb {
  VERB_RUN = 1 << 0,
  VERB_VIEW = 1 << 1,
  VERB_CHECK = 1 << 2,
  VERB_INFO = 1 << 3,
  VERB_LIST = 1 << 4,
  VERB_CONVERT = 1 << 5,
  VERB_BENCH = 1 << 6,
  VERB_VALIDATE = 1 << 7,
  VERB_NEW_PLUGIN = 1 << 8,
  VERB_ANATOMY = 1 << 9,
  VERB_SWEEP = 1 << 10,
} Verb;

typedef DV_ARRAY(const char *) Texts;

// What stands on the command line: the values of all options of all verbs, and what is no option.
typedef struct Options {
  Texts names;                  // scenes, words, files
  const char *scene, *second;   // the first two of them, or NULL
  // of all verbs that make a context
  Texts data, plugins, plugin_paths;
  long threads;
  const char *compat;   // NULL: the scene decides
  bool skip_missing, strict, emulate_devices;
  dvScriptReader read_script;   // of scenes in Python; NULL outside of it
  // run
  long steps, every;
  double dt;
  const char *out, *last_good, *dump_state, *dump_topology, *stats, *step_times, *profile, *gnuplot, *csv, *csv_points;
  const char *save, *restore;
  const char *record, *export_to;
  Texts record_fields;
  const char *picture, *video, *size, *camera, *show;   // film.h
  double xray, slow;
  bool hash, quiet, fine, realtime, distributed, dark;
  // view
  const char *host, *token;
  long port;   // below 0: the usual one
  bool no_browser, animate;
  // convert
  bool force;
  // bench
  const char *corpus, *list, *filter, *json, *compare, *html, *from, *thread_list;
  long repeats;
  double timeout;
  bool validate;
  // anatomy
  const char *labels;
  long parts;   // of a mesh; 0: it stays whole
  long cells;
  double unit, detail, gap;   // gap below 0: as it suits
  // validate, new-plugin
  bool quick, full, flags;
  // sweep
  Texts vary, result;
  const char *slurm, *share;
  long jobs, tasks;   // 0: the usual number
  double limit;       // seconds of a variant; 0: none
  bool together, restart, retry;
} Options;

// A verb. Its help consists of usage, about, its options, more and examples.
typedef struct Command {
  Verb verb;
  const char *name, *summary;
  const char *usage;                    // lines `divan VERB ...`
  const char *about;                    // NULL, or paragraphs
  const char *more;                     // NULL, or paragraphs behind the options
  const char *examples;                 // lines
  size_t most_names;                    // how many arguments that are no options it takes
  int (*run)(const Options *options);   // the exit status
} Command;

extern const Command command_run, command_check, command_info, command_list, command_convert, command_bench,
    command_validate, command_view, command_new_plugin, command_anatomy, command_sweep;

// The whole command. With a reader of scenes in Python it runs inside of Python, else such a scene takes it there.
int divan_command(int count, char **arguments, dvScriptReader read_script);
// Runs the command line in Python when it names a scene that needs it (python.c); returns a status only where there is
// none, else -1 when it does not concern it.
int enter_python(int count, char **arguments);

int run_distributed(const Options *options);   // `run` over the processes of mpirun

const char *viewer_page_text(size_t *length);   // the page of the viewer, where it is built in

// Reads the command line of a verb, without the verb; 0, or DV_ERROR_USAGE after a message. Free the options either
// way.
int options_read(const Command *c, Options *o, int count, char **arguments);
void options_free(Options *o);
void print_command_help(const Command *c);
int usage_error(const Command *c, const char *format, ...) DV_PRINTF(2, 3);
// A context with the directories and plugins of the options; a plugin that cannot be loaded is an error in its log.
dvContext *context_for(const Options *o);
// Is the component about what the word means (topics.c)?
bool topic_has(const char *word, const char *component);
void print_summary_of_messages(const dvLog *log);

// Can a file, can a directory with files in it be written there? NULL can. False after a message with the cause;
// nothing is left behind.
bool output_file(const char *path);
bool output_directory(const char *path);
bool cannot_write(const char *path);   // says so, with the cause in errno; false

// Shows how far the setting up of a scene is, on a terminal and where it takes long: what a context is to fill
// (dvContext.progress), or NULL where nobody would see it. progress_end comes before the next line that is printed.
dvProgress *progress_begin(bool quiet);
void progress_end(void);

// From now on the first Ctrl-C (or SIGTERM) is remembered, the second ends the program at once.
void catch_interrupts(void);
// 0, or what the program is to return when all is written: 130 after Ctrl-C, 143 after SIGTERM.
int interrupted(void);

#endif
