/* Makes calls of one program fail on files below a folder, as a full disk or a broken one does.
 *
 * GROMA_DISK_PROGRAM  how the program's name begins (/proc/self/comm)
 * GROMA_DISK_BELOW    the folder
 * GROMA_DISK_FILES    what the names of its files contain; `!points.` are the other files; empty: all
 * GROMA_DISK_CALL     write, fsync, rename or mkdir
 * GROMA_DISK_AT       the number of the call that fails, from 1
 * GROMA_DISK_HOW      full (that call and all later ones), broken (that call alone) or short (half of it is written)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static int is_program(void) {
  char name[64] = "";
  const int file = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t bytes = read(file, name, sizeof name - 1);
  close(file);
  const char* asked = setting("GROMA_DISK_PROGRAM");
  return bytes > 0 && *asked && strncmp(name, asked, strlen(asked)) == 0;
}

static int is_below(const char* path) {
  const char *folder = setting("GROMA_DISK_BELOW"), *part = setting("GROMA_DISK_FILES");
  if (!*folder || strncmp(path, folder, strlen(folder)) != 0) return 0;
  const int others = *part == '!';
  const char* name = strrchr(path, '/');
  return others != (strstr(name ? name : path, part + others) != NULL);
}

static int is_file_below(int file) {
  char link[64], path[PATH_MAX + 1];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t bytes = readlink(link, path, PATH_MAX);
  if (bytes < 0) return 0;
  path[bytes] = '\0';
  return is_below(path);
}

/* Whether this call is one that fails. */
static int fails(const char* call) {
  static int calls;
  if (strcmp(setting("GROMA_DISK_CALL"), call) != 0 || !is_program()) return 0;
  const int at = atoi(setting("GROMA_DISK_AT"));
  ++calls;
  return strcmp(setting("GROMA_DISK_HOW"), "full") == 0 ? calls >= at : calls == at;
}

static int failed(void) {
  errno = strcmp(setting("GROMA_DISK_HOW"), "full") == 0 ? ENOSPC : EIO;
  return -1;
}

ssize_t write(int file, const void* data, size_t bytes) {
  static ssize_t (*next)(int, const void*, size_t);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "write");
  if (!is_file_below(file) || !fails("write")) return next(file, data, bytes);
  if (strcmp(setting("GROMA_DISK_HOW"), "short") == 0) return next(file, data, (bytes + 1) / 2);
  return failed();
}

int fsync(int file) {
  static int (*next)(int);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "fsync");
  return is_file_below(file) && fails("fsync") ? failed() : next(file);
}

/* The same of a path that may begin in the current folder. */
static int is_path_below(const char* path) {
  char whole[PATH_MAX + 1];
  if (*path == '/' || !getcwd(whole, sizeof whole - strlen(path) - 2)) return is_below(path);
  return is_below(strcat(strcat(whole, "/"), path));
}

int rename(const char* from, const char* to) {
  static int (*next)(const char*, const char*);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "rename");
  return is_path_below(to) && fails("rename") ? failed() : next(from, to);
}

int mkdir(const char* path, mode_t mode) {
  static int (*next)(const char*, mode_t);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "mkdir");
  return is_path_below(path) && fails("mkdir") ? failed() : next(path, mode);
}
