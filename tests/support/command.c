#include "support/command.h"

#include "base/text.h"
#include "support/check.h"

#include <string.h>
#include <sys/wait.h>

static int run(char **out, const char *command)
{
  char *line = dv_format("( %s ) 2>&1", command);
  FILE *p = popen(line, "r");
  assert_non_null(p);
  dvText all = {0};
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, p)) > 0;) dv_text_add_n(&all, buffer, n);
  int status = pclose(p);
  dv_text_add(&all, "");
  dv_free(line);
  *out = dv_text_take(&all);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int check_shell(char **out, const char *format, ...)
{
  dvText command = {0};
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&command, format, args);
  va_end(args);
  int status = run(out, command.text);
  dv_text_free(&command);
  return status;
}

void check_command(int status, const char *contains, const char *format, ...)
{
  dvText command = {0};
  char *out;
  va_list args;
  va_start(args, format);
  dv_text_vprintf(&command, format, args);
  va_end(args);
  int got = run(&out, command.text);
  if (got != status || (contains && !strstr(out, contains))) {
    print_error("%s\n: status %d, wanted %d with '%s'\n%s\n", command.text, got, status, contains ? contains : "", out);
    fail();
  }
  dv_free(out);
  dv_text_free(&command);
}
