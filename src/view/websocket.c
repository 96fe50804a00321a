// See websocket.h.
#include "view/websocket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

// --- the handshake -------------------------------------------------------------------------------

static uint32_t turn(uint32_t x, int n) { return x << n | x >> (32 - n); }

static void sha1_block(uint32_t state[5], const unsigned char block[64])
{
  uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  for (int i = 16; i < 80; i++) w[i] = turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  for (int i = 0; i < 80; i++) {
    uint32_t f = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                 : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                 : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                          : (b ^ c ^ d) + 0xca62c1d6;
    uint32_t next = turn(a, 5) + f + e + w[i];
    e = d, d = c, c = turn(b, 30), b = a, a = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

// of a text of less than 2^29 bytes
static void sha1(const char *text, size_t length, unsigned char out[20])
{
  uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  size_t at = 0;
  for (; at + 64 <= length; at += 64) sha1_block(state, (const unsigned char *)text + at);
  unsigned char last[128] = {0};
  size_t rest = length - at, size = rest < 56 ? 64 : 128;
  memcpy(last, text + at, rest);
  last[rest] = 0x80;
  uint64_t bits = (uint64_t)length * 8;
  for (size_t i = 0; i < 8; i++) last[size - 1 - i] = (unsigned char)(bits >> (8 * i));
  for (size_t i = 0; i < size; i += 64) sha1_block(state, last + i);
  for (size_t i = 0; i < 20; i++) out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void dv_web_accept(const char *key, char out[29])
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned char hash[21] = {0};
  char *whole = dv_format("%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
  sha1(whole, strlen(whole), hash);
  dv_free(whole);
  for (size_t i = 0, o = 0; i < 21; i += 3, o += 4) {
    uint32_t three = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8 | hash[i + 2];
    for (size_t k = 0; k < 4; k++) out[o + k] = letters[three >> (18 - 6 * k) & 63];
  }
  out[27] = '=';   // 20 bytes are six threes and two
  out[28] = 0;
}

// --- reading -------------------------------------------------------------------------------------

static bool read_bytes(dvWebReader *r, void *to, size_t n)
{
  char *at = to;
  size_t here = n < r->ahead_length ? n : r->ahead_length;
  if (here) memcpy(at, r->ahead, here), r->ahead += here, r->ahead_length -= here, at += here, n -= here;
  while (n) {
    ssize_t done = recv(r->socket, at, n, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done, n -= (size_t)done;
  }
  return true;
}

// adds the bytes of one frame, without their mask
static bool read_masked(dvWebReader *r, size_t length, dvText *out)
{
  unsigned char mask[4], piece[4096];
  if (!read_bytes(r, mask, 4)) return false;
  for (size_t at = 0; at < length;) {
    size_t n = dv_min_size(sizeof piece, length - at);
    if (!read_bytes(r, piece, n)) return false;
    for (size_t i = 0; i < n; i++) piece[i] ^= mask[(at + i) & 3];
    dv_text_add_n(out, (const char *)piece, n);
    at += n;
  }
  return true;
}

bool dv_web_read(dvWebReader *r, dvText *partial, size_t limit, dvWebKind *kind, dvText *message)
{
  for (;;) {
    unsigned char head[2], more[8];
    if (!read_bytes(r, head, 2) || (head[0] & 0x70) || !(head[1] & 0x80)) return false;
    uint64_t length = head[1] & 127;
    size_t wide = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (!read_bytes(r, more, wide)) return false;
    if (wide) length = 0;
    for (size_t i = 0; i < wide; i++) length = length << 8 | more[i];
    int opcode = head[0] & 15;
    bool last = head[0] & 0x80;
    if (opcode >= DV_WEB_CLOSE) {   // in between, short and whole
      dv_text_clear(message);
      *kind = (dvWebKind)opcode;
      return last && length < 126 && read_masked(r, (size_t)length, message);
    }
    if (opcode > DV_WEB_BINARY || length > limit || partial->length + length > limit) return false;
    if (!read_masked(r, (size_t)length, partial)) return false;
    if (!last) continue;
    dv_text_free(message);
    *message = *partial;
    *partial = (dvText){0};
    *kind = DV_WEB_TEXT;
    return true;
  }
}

// --- writing -------------------------------------------------------------------------------------

static bool write_vectors(int socket, struct iovec *v, size_t count)
{
  while (count) {
    struct msghdr m = {.msg_iov = v, .msg_iovlen = count};
    ssize_t done = sendmsg(socket, &m, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    size_t n = (size_t)done;
    while (count && n >= v->iov_len) n -= v->iov_len, v++, count--;
    if (count) v->iov_base = (char *)v->iov_base + n, v->iov_len -= n;
  }
  return true;
}

bool dv_socket_write(int socket, const char *data, size_t length)
{
  struct iovec v = {(void *)data, length};
  return write_vectors(socket, &v, length ? 1 : 0);
}

bool dv_web_write(int socket, dvWebKind kind, const char *data, size_t length)
{
  unsigned char head[10] = {(unsigned char)(0x80 | kind)};
  size_t n = 2;
  if (length < 126) head[1] = (unsigned char)length;
  else {
    n = length < 65536 ? 4 : 10;
    head[1] = n == 4 ? 126 : 127;
    for (size_t i = 2; i < n; i++) head[i] = (unsigned char)((uint64_t)length >> (8 * (n - 1 - i)));
  }
  struct iovec v[2] = {{head, n}, {(void *)data, length}};
  return write_vectors(socket, v, length ? 2 : 1);
}
