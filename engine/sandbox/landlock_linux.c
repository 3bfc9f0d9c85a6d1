// Locks the files of a worker before Go starts a thread: Landlock holds for a thread
// and those that it starts, so it has to come first. Constructors run before Go.
//
// Headers of old systems don't have what the kernel may: names are spelt here.

#define _GNU_SOURCE
#include "landlock_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct confined sandbox_confined;

enum { close_range_ = 436, create_ruleset = 444, add_rule = 445, restrict_self = 446 };

// Rights of files and folders, as in linux/landlock.h.
enum {
	write_file = 1 << 1, read_file = 1 << 2, read_dir = 1 << 3, remove_dir = 1 << 4, remove_file = 1 << 5,
	make_dir = 1 << 7, make_reg = 1 << 8, refer = 1 << 13, truncate_file = 1 << 14, ioctl_dev = 1 << 15,
	all_of_1 = (1 << 13) - 1,
	of_files = write_file | read_file | truncate_file, // those that a file may have
	reading = read_file | read_dir,
	owning = reading | write_file | remove_dir | remove_file | make_dir | make_reg | refer | truncate_file,
};

struct ruleset { uint64_t files, net, scope; };
struct __attribute__((packed)) beneath { uint64_t rights; int32_t parent; };

static const struct { const char *path; uint64_t rights; } rules[] = {
	{".", owning},
	{"/proc/self/exe", reading},
	{"/lib", reading}, {"/lib64", reading}, {"/usr/lib", reading}, {"/usr/lib64", reading}, {"/etc/ld.so.cache", reading},
	// DuckDB aborts when it opens and can't read the first three.
	{"/proc/self/cgroup", reading}, {"/proc/self/mountinfo", reading}, {"/sys/fs/cgroup", reading},
	{"/proc/self/statm", reading}, {"/proc/meminfo", reading}, {"/proc/cpuinfo", reading}, {"/proc/stat", reading},
	{"/sys/devices/system/cpu", reading}, {"/proc/sys/vm/overcommit_memory", reading},
	{"/usr/share/zoneinfo", reading}, {"/etc/localtime", reading},
	{"/dev/null", read_file | write_file}, {"/dev/zero", read_file}, {"/dev/urandom", read_file}, {"/dev/random", read_file},
};

// allow adds a rule. Its descriptor stays open: what /proc shows gets another inode
// once nobody has it open, and a rule is an inode's.
static int allow(int set, const char *path, uint64_t rights) {
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == EACCES ? 0 : -1; // then a worker can't read it either
	struct stat is;
	if (fstat(fd, &is) < 0)
		return -1;
	struct beneath rule = {S_ISDIR(is.st_mode) ? rights : rights & of_files, fd};
	return syscall(add_rule, set, 1, &rule, 0);
}

static int lock(struct confined *c) {
	c->at = "landlock_create_ruleset";
	long abi = syscall(create_ruleset, NULL, 0, 1);
	if (abi < 1)
		return -1;
	c->abi = abi;
	struct ruleset handled = {all_of_1, 0, 0};
	if (abi >= 2) handled.files |= refer;
	if (abi >= 3) handled.files |= truncate_file;
	if (abi >= 4) handled.net = 3;       // binding and connecting TCP
	if (abi >= 5) handled.files |= ioctl_dev;
	if (abi >= 6) handled.scope = 3;     // abstract sockets and signals of others
	size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
	int set = syscall(create_ruleset, &handled, size, 0);
	if (set < 0)
		return -1;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
		c->at = rules[i].path;
		if (allow(set, rules[i].path, rules[i].rights & handled.files) < 0)
			return -1;
	}
	c->at = "landlock_restrict_self";
	if (syscall(restrict_self, set, 0) < 0)
		return -1;
	close(set);
	return 0;
}

// is_worker reads the arguments from /proc, because only glibc gives them to
// constructors.
static int is_worker(void) {
	static const char name[] = "hindsql-worker";
	char text[sizeof name];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text);
	close(fd);
	return n == sizeof text && memcmp(text, name, sizeof name) == 0;
}

__attribute__((constructor)) static void confine_worker(void) {
	int before = errno;
	if (is_worker()) {
		struct confined *c = &sandbox_confined;
		c->ran = 1;
		syscall(close_range_, 3, ~0U, 0); // older kernels have none: Go lets nothing be inherited anyway
		prctl(PR_SET_NAME, "hindsql-worker", 0, 0, 0);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
			c->privileges = errno;
		if (lock(c) < 0)
			c->landlock = errno;
	}
	errno = before;
}
