// A number as the shortest text that reads back as the same number, in the form of %g with the smallest precision of 6
// to 17 digits that does so.
//
// A double is m 2^e with m of 53 bits. With s chosen so that v 10^s has 17 digits before the point, v 10^s = N 2^E with
// N = m 5^s and E = e + s. For s up to 55, N has at most 181 bits: all digits, their rounding and whether they read
// back (the decimal lies within half a unit of m, which is 5^s / 2 in units of 2^E) follow exactly from whole numbers
// of 192 bits. That holds for 1e-39 to 4e15; other numbers are printed and read until they come back.
#include "base/text.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide;

enum { DIGITS = 17, LARGEST_SHIFT = 55 };

typedef struct Big {
  Wide high;
  uint64_t low;
} Big;

static Big times(Wide a, uint64_t b)
{
  const Wide low = (Wide)(uint64_t)a * b;
  return (Big){(Wide)(uint64_t)(a >> 64) * b + (low >> 64), (uint64_t)low};
}

static Big minus(Big a, Big b) { return (Big){a.high - b.high - (a.low < b.low), a.low - b.low}; }
static Big twice(Big a) { return (Big){a.high << 1 | a.low >> 63, a.low << 1}; }
static int compare(Big a, Big b)
{
  if (a.high != b.high) return a.high < b.high ? -1 : 1;
  return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

// shifts by 1 to 127
static Big left(uint64_t a, int by)
{
  return by >= 64 ? (Big){(Wide)a << (by - 64), 0} : (Big){a >> (64 - by), a << by};
}
static Wide right(Big a, int by) { return by >= 64 ? a.high >> (by - 64) : a.high << (64 - by) | a.low >> by; }

typedef struct Scaled {
  Big n, unit;         // N, and 5^s
  int shift;           // -E
  uint64_t whole, m;   // the digits before the point
  int exponent;        // of ten, of the first of them
} Scaled;

static bool scale(double v, Scaled *out)
{
  int two;
  const double fraction = frexp(v, &two);
  out->m = (uint64_t)ldexp(fraction, 53);
  // the place of the first digit is known to one from the power of two
  int k = (int)floor((two - 1) * 0.30102999566398119521);
  for (int tries = 0; tries < 2; tries++, k++) {
    const int s = DIGITS - 1 - k;
    out->shift = 53 - two - s;
    if (s < 0 || s > LARGEST_SHIFT || out->shift < 1 || out->shift > 127) return false;
    Wide unit = 1;
    for (int i = 0; i < s; i++) unit *= 5;
    out->unit = (Big){unit >> 64, (uint64_t)unit};
    out->n = times(unit, out->m);
    const Wide whole = right(out->n, out->shift);
    out->exponent = k;
    out->whole = (uint64_t)whole;
    if (whole < 100000000000000000u) return whole >= 10000000000000000u;
  }
  return false;
}

// the number rounded to so many digits, and whether it reads back from them
static bool rounded(const Scaled *x, int digits, uint64_t *out)
{
  uint64_t power = 1;
  for (int i = digits; i < DIGITS; i++) power *= 10;
  uint64_t d = x->whole / power;
  const int half = compare(twice(minus(x->n, left(d * power, x->shift))), left(power, x->shift));
  if (half > 0 || (half == 0 && d % 2)) d++;
  *out = d;
  const Big there = left(d * power, x->shift);
  const bool above = compare(there, x->n) > 0;
  Big away = twice(above ? minus(there, x->n) : minus(x->n, there));
  if (!above && x->m == (uint64_t)1 << 52) away = twice(away);   // numbers below a power of two are twice as dense
  const int near = compare(away, x->unit);
  return near < 0 || (near == 0 && x->m % 2 == 0);
}

// as %g writes them: `digits` of them, the first of which has the place `exponent`
static void write_digits(dvText *t, bool negative, uint64_t d, int digits, int exponent)
{
  char figure[24], text[40], *c = text;
  if (d == 0) return;
  for (int i = digits; i-- > 0; d /= 10) figure[i] = (char)('0' + d % 10);
  int last = digits;
  while (last > 1 && figure[last - 1] == '0') last--;
  const int precision = digits <= 15 ? (last > 6 ? last : 6) : digits;
  if (negative) *c++ = '-';
  if (exponent < -4 || exponent >= precision) {
    *c++ = figure[0];
    if (last > 1) *c++ = '.';
    for (int i = 1; i < last; i++) *c++ = figure[i];
    const int size = exponent < 0 ? -exponent : exponent;
    *c++ = 'e';
    *c++ = exponent < 0 ? '-' : '+';
    *c++ = (char)('0' + size / 10);
    *c++ = (char)('0' + size % 10);
  } else {
    if (exponent < 0) {
      *c++ = '0', *c++ = '.';
      for (int i = -1; i > exponent; i--) *c++ = '0';
    }
    for (int i = 0; i < last || i <= exponent; i++) {
      if (i > 0 && i == exponent + 1) *c++ = '.';
      *c++ = i < last ? figure[i] : '0';
    }
  }
  *c = 0;
  dv_text_add(t, text);
}

static bool add_exactly(dvText *t, double value)
{
  Scaled x;
  uint64_t d;
  if (!scale(fabs(value), &x)) return false;
  // what 15 digits do not give back, fewer do not either; what they do, they give without their last zeros
  int digits = 15;
  while (!rounded(&x, digits, &d) && digits < DIGITS) digits++;
  uint64_t limit = 1;
  for (int i = 0; i < digits; i++) limit *= 10;
  if (d == limit) d /= 10, x.exponent++;   // 9.99… became 10
  write_digits(t, value < 0, d, digits, x.exponent);
  return true;
}

// does the value read back from so many digits?
static bool prints_back(char *digits, size_t size, int precision, double value)
{
  dv_snprintf(digits, size, "%.*g", precision, value);
  const char *cursor = digits;
  double back = 0;
  return dv_scan_real(&cursor, &back) && back == value;
}

void dv_text_add_real(dvText *t, double value)
{
  char digits[40];
  if (isnan(value) || isinf(value) || value == 0) {
    dv_text_add(t, isnan(value) ? "nan" : isinf(value) ? (value > 0 ? "inf" : "-inf") : signbit(value) ? "-0" : "0");
    return;
  }
  if (add_exactly(t, value)) return;
  int precision = prints_back(digits, sizeof digits, 15, value) ? 6 : 16;
  while (precision < DIGITS && !prints_back(digits, sizeof digits, precision, value)) precision++;
  if (precision == DIGITS) dv_snprintf(digits, sizeof digits, "%.17g", value);
  dv_text_add(t, digits);
}
