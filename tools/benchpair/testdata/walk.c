// walk FOLDER reads the folders below FOLDER and the size of each file, five times, and
// prints the processor time of each time in milliseconds: what no sync can do without.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static long walk(int fd) {
	DIR *dir = fdopendir(fd);
	long bytes = 0;
	if (!dir) return 0;
	for (struct dirent *d; (d = readdir(dir));) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")) continue;
		if (d->d_type == DT_DIR) {
			int below = openat(fd, d->d_name, O_RDONLY | O_DIRECTORY);
			if (below >= 0) bytes += walk(below);
		} else {
			struct stat s;
			if (!fstatat(fd, d->d_name, &s, AT_SYMLINK_NOFOLLOW)) bytes += s.st_size;
		}
	}
	closedir(dir);
	return bytes;
}

int main(int count, char **args) {
	for (int i = 0; count == 2 && i < 5; i++) {
		double begin = now();
		int fd = open(args[1], O_RDONLY | O_DIRECTORY);
		if (fd < 0) return 1;
		long bytes = walk(fd);
		fprintf(stderr, "%ld bytes\n", bytes);
		printf("%.3f\n", now() - begin);
	}
	return count == 2 ? 0 : 2;
}
