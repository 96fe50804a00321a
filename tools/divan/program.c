// The program `divan`: the command outside of Python.
#include "command.h"

int main(int count, char **arguments)
{
  const int status = enter_python(count, arguments);
  return status >= 0 ? status : divan_command(count, arguments, NULL);
}
