// See words.h. A letter is a list of lines through points of a grid, two digits a point: x from 0 to 4, y from 0 (the
// tail of a g) over 2 (the base line), 6 and 8 (the top of an H).
#include "render/words.h"

#include <math.h>
#include <string.h>

static const char *const letters[96] = {
    "",                                   // space
    "0804 0202",                          // !
    "0806 2826",                          // "
    "1218 3238 0444 0646",                // #
    "473818070615354443321203 2921",      // $
    "0248 0818170708 3343423233",         // %
    "4206071827260403122244",             // &
    "0806",                               // '
    "19070311",                           // (
    "09171301",                           // )
    "2327 0446 0644",                     // *
    "2327 0545",                          // +
    "1201",                               // ,
    "0535",                               // -
    "0202",                               // .
    "0139",                               // /
    "183847433212030718",                 // 0
    "071812 0222",                        // 1
    "07183847460242",                     // 2
    "07183847463515 354443321203",        // 3
    "32380444",                           // 4
    "480805354443321203",                 // 5
    "4738180703123243443505",             // 6
    "084812",                             // 7
    "15060718384746351504031232434435",   // 8
    "0312324347381807061545",             // 9
    "0606 0303",                          // :
    "1616 1201",                          // ;
    "370533",                             // <
    "0636 0434",                          // =
    "073503",                             // >
    "07183847462524 2222",                // ?
    "3626151424344647381807031232",       // @
    "022842 1434",                        // A
    "02083847463505 3544433202",          // B
    "4738180703123243",                   // C
    "02083847433202",                     // D
    "48080242 0535",                      // E
    "480802 0535",                        // F
    "47381807031232434525",               // G
    "0208 4248 0545",                     // H
    "0208",                               // I
    "3833221203",                         // J
    "0208 480542",                        // K
    "080242",                             // L
    "0208254842",                         // M
    "02084248",                           // N
    "183847433212030718",                 // O
    "02083847463505",                     // P
    "183847433212030718 2442",            // Q
    "02083847463505 2542",                // R
    "473818070615354443321203",           // S
    "0848 2822",                          // T
    "080312324348",                       // U
    "082248",                             // V
    "0812263248",                         // W
    "0248 0842",                          // X
    "082548 2522",                        // Y
    "08480242",                           // Z
    "19090111",                           // [
    "0931",                               // backslash
    "09191101",                           // ]
    "062846",                             // ^
    "0141",                               // _
    "0817",                               // `
    "06263532 341403122233",              // a
    "0802 0516263533221203",              // b
    "3526160503122233",                   // c
    "3832 3526160503122233",              // d
    "043435261605031232",                 // e
    "281712 0626",                        // f
    "36312010 3526160503122233",          // g
    "0802 0516263532",                    // h
    "0602 0808",                          // i
    "161100 1818",                        // j
    "0802 360432",                        // k
    "0802",                               // l
    "0602 05162522 25364542",             // m
    "0602 0516263532",                    // n
    "162635332212030516",                 // o
    "0600 0516263533221203",              // p
    "3630 3526160503122233",              // q
    "0602 051626",                        // r
    "35261605142433221203",               // s
    "181322 0626",                        // t
    "0603122233 3632",                    // u
    "062246",                             // v
    "0612253246",                         // w
    "0632 0236",                          // x
    "0622 461000",                        // y
    "06360232",                           // z
    "29181605141221",                     // {
    "0901",                               // |
    "09181625141201",                     // }
    "05163445",                           // ~
    "0208484202",                         // what is no letter
};

static const double unit = 0.115;   // of a grid, in heights of a line

static const char *letter_at(const char **text)
{
  unsigned char c = (unsigned char)**text;
  ++*text;
  while (c >= 128 && ((unsigned char)**text & 0xc0) == 0x80) ++*text;   // the rest of a character
  return letters[c < 32 || c > 126 ? 95 : c - 32];
}

static double width_of(const char *letter)
{
  int most = *letter ? 0 : 2;
  for (const char *at = letter; *at; at += *at == ' ' ? 1 : 2)
    if (*at != ' ' && *at - '0' > most) most = *at - '0';
  return most;
}

void dv_words_strokes(const char *text, dvStroke stroke, void *user)
{
  double x = 0;
  while (*text && *text != '\n') {
    const char *letter = letter_at(&text);
    for (const char *at = letter; *at; at++) {
      if (at[0] == ' ' || at[2] == 0 || at[2] == ' ') {
        at += at[0] == ' ' ? 0 : 1;
        continue;
      }
      const double from[2] = {unit * (x + at[0] - '0'), unit * (at[1] - '2')},
                   to[2] = {unit * (x + at[2] - '0'), unit * (at[3] - '2')};
      stroke(user, from, to);
      at++;
    }
    x += width_of(letter) + 1.6;
  }
}

double dv_words_width(const char *text, double size)
{
  double x = 0;
  while (*text && *text != '\n') x += width_of(letter_at(&text)) + 1.6;
  return unit * size * fmax(0, x - 1.6);
}

typedef struct Ink {
  float *cover;   // of a strip of the picture
  int width, height;
  double x, y, size;   // of the left end of the base line, in the strip
} Ink;

static void cover_stroke(void *user, const double from[2], const double to[2])
{
  Ink *ink = user;
  double a[2] = {ink->x + ink->size * from[0], ink->y - ink->size * from[1]};
  double b[2] = {ink->x + ink->size * to[0], ink->y - ink->size * to[1]}, radius = fmax(0.55, 0.048 * ink->size);
  double d[2] = {b[0] - a[0], b[1] - a[1]}, square = d[0] * d[0] + d[1] * d[1];
  int x0 = (int)floor(fmin(a[0], b[0]) - radius - 1), x1 = (int)ceil(fmax(a[0], b[0]) + radius + 1);
  int y0 = (int)floor(fmin(a[1], b[1]) - radius - 1), y1 = (int)ceil(fmax(a[1], b[1]) + radius + 1);
  for (int y = y0 < 0 ? 0 : y0; y <= y1 && y < ink->height; y++)
    for (int x = x0 < 0 ? 0 : x0; x <= x1 && x < ink->width; x++) {
      double p[2] = {x + 0.5 - a[0], y + 0.5 - a[1]}, t = square > 0 ? (p[0] * d[0] + p[1] * d[1]) / square : 0;
      t = fmin(1, fmax(0, t));
      double away = hypot(p[0] - t * d[0], p[1] - t * d[1]), c = fmin(1, fmax(0, radius + 0.5 - away));
      float *to_cover = &ink->cover[(size_t)y * (size_t)ink->width + (size_t)x];
      if (c > *to_cover) *to_cover = (float)c;
    }
}

static void draw_line(unsigned char *rgb, int width, int height, const char *text, dvWordsPlace at)
{
  int top = (int)floor(at.y - 0.3 * at.size), rows = (int)ceil(1.6 * at.size) + 2;
  if (top < 0) top = 0;
  if (top >= height) return;
  if (rows > height - top) rows = height - top;
  Ink ink = {.width = width, .height = rows, .x = at.x, .y = at.y - top + 0.85 * at.size, .size = at.size};
  ink.cover = dv_try_alloc((size_t)width * (size_t)rows * sizeof *ink.cover);
  if (!ink.cover) return;
  dv_words_strokes(text, cover_stroke, &ink);
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < width; x++) {
      float c = ink.cover[(size_t)y * (size_t)width + (size_t)x];
      unsigned char *to = rgb + 3 * ((size_t)(y + top) * (size_t)width + (size_t)x);
      for (int k = 0; k < 3 && c > 0; k++)
        to[k] = (unsigned char)lround(to[k] + c * (255 * fmin(1, fmax(0, at.colour[k])) - to[k]));
    }
  dv_free(ink.cover);
}

void dv_words_draw(unsigned char *rgb, int width, int height, const char *text, dvWordsPlace at)
{
  if (!isfinite(at.x + at.y + at.size)) return;
  at.size = fmin(400, fmax(6, at.size));
  while (text && *text && at.y < height && fabs(at.x) < 1e6 && at.y > -1e6) {
    draw_line(rgb, width, height, text, at);
    text = strchr(text, '\n');
    if (text) text++;
    at.y += 1.2 * at.size;
  }
}
