// libFuzzer target: what a client sends after the handshake. Messages stay within the limit, whatever the frames say.
#include "base/base.h"
#include "view/websocket.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  enum { LIMIT = 2000 };
  dvWebReader reader = {.socket = -1, .ahead = (const char *)data, .ahead_length = size};
  dvText partial = {0}, message = {0};
  dvWebKind kind = DV_WEB_MORE;
  while (dv_web_read(&reader, &partial, LIMIT, &kind, &message))
    DV_REQUIRE(message.length <= LIMIT && kind != DV_WEB_MORE);
  dv_text_free(&partial);
  dv_text_free(&message);
  return 0;
}
