// Films. See picture.h.
#include "render/picture.h"

#include "base/file.h"
#include "render/png.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct dvFilm {
  char *path, *stem;
  int width, height;
  int pipe;   // to ffmpeg; -1: pictures
  pid_t child;
  long count;
  dvLog *log;
};

static void note(dvLog *log, char *text)
{
  if (log) dv_log_send(log, &(dvMessage){.level = DV_NOTE, .text = text});
  dv_free(text);
}

static void become_ffmpeg(const char *program, const dvFilm *f, double rate, int from)
{
  char size[32], frames[32];
  snprintf(size, sizeof size, "%dx%d", f->width, f->height);
  snprintf(frames, sizeof frames, "%.6g", rate);
  const char *end = dv_path_extension(f->path);
  bool webm = dv_same_nocase(end, "webm");
  const char *const arguments[] = {"ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                                   size, "-r", frames, "-i", "-", "-an",
                                   // two colours for four pixels: sides are even
                                   "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p",
                                   webm ? "-c:v" : "-movflags", webm ? "libvpx-vp9" : "+faststart",
                                   webm ? "-b:v" : "-q:v", webm ? "0" : "3", webm ? "-crf" : "-r", webm ? "30" : frames,
                                   f->path, NULL};
  dup2(from, STDIN_FILENO);
  execv(program, (char *const *)arguments);
  _exit(127);
}

static bool start_ffmpeg(dvFilm *f, double rate)
{
  char *program = dv_program_find("ffmpeg");
  int ends[2];
  if (!program || pipe(ends) != 0) {
    dv_free(program);
    return false;
  }
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  f->child = fork();
  if (f->child == 0) become_ffmpeg(program, f, rate, ends[0]);
  close(ends[0]);
  dv_free(program);
  if (f->child < 0) {
    close(ends[1]);
    return false;
  }
  f->pipe = ends[1];
  return true;
}

dvFilm *dv_film_open(const char *path, int width, int height, double rate, dvLog *log)
{
  if (!dv_file_permitted(path, true)) return NULL;
  dvFilm *f = dv_alloc(sizeof *f);
  const char *dot = strrchr(dv_path_name(path), '.');
  *f = (dvFilm){.path = dv_strdup(path), .width = width, .height = height, .pipe = -1, .log = log};
  f->stem = dv_strndup(path, dot ? (size_t)(dot - path) : strlen(path));
  if (!start_ffmpeg(f, rate))
    note(log, dv_format("the program ffmpeg is not there (Debian: ffmpeg): instead of %s the pictures are written one "
                        "by one, %s-00000.png and so on, %.6g a second",
                        path, f->stem, rate));
  return f;
}

static dvStatus write_picture(dvFilm *f, const unsigned char *rgb)
{
  char *name = dv_format("%s-%05ld.png", f->stem, f->count);
  dvStatus status = dv_png_write(name, rgb, f->width, f->height);
  dv_free(name);
  return status;
}

static dvStatus pipe_picture(dvFilm *f, const unsigned char *rgb)
{
  size_t left = 3 * (size_t)f->width * (size_t)f->height;
  struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
  sigaction(SIGPIPE, &ignore, &before);   // ffmpeg may end early: that is an answer, not the end of the program
  while (left) {
    ssize_t n = write(f->pipe, rgb, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    rgb += n, left -= (size_t)n;
  }
  sigaction(SIGPIPE, &before, NULL);
  return left ? DV_ERROR_INPUT : DV_OK;
}

dvStatus dv_film_add(dvFilm *f, const unsigned char *rgb)
{
  dvStatus status = f->pipe >= 0 ? pipe_picture(f, rgb) : write_picture(f, rgb);
  f->count += status == DV_OK;
  return status;
}

dvStatus dv_film_close(dvFilm **place)
{
  dvFilm *f = *place;
  *place = NULL;
  if (!f) return DV_OK;
  dvStatus status = DV_OK;
  if (f->pipe >= 0) {
    int code = 0;
    close(f->pipe);
    while (waitpid(f->child, &code, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(code) || WEXITSTATUS(code) != 0) status = DV_ERROR_INPUT, errno = EIO;
  }
  dv_free(f->path);
  dv_free(f->stem);
  dv_free(f);
  return status;
}
