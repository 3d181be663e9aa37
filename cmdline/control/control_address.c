/* Names of control sockets: their paths, and connecting to one. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/control/control_address.h"

#include "base/err.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".sock"
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
#define NAME_BYTES 64

/* The folders of logins are here: each is removed when its user logs out. */
#define LOGINS "/run/user/"

void
control_folder(char *to, size_t bytes)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	const bool login = runtime != NULL && strncmp(runtime, LOGINS, strlen(LOGINS)) == 0;

	/* What root starts outlives a login, and its services have no folder of one. */
	if (runtime != NULL && runtime[0] == '/' && !(login && geteuid() == 0))
		snprintf(to, bytes, "%s/zcfwd", runtime);
	else if (geteuid() == 0)
		snprintf(to, bytes, "/run/zcfwd");
	else
		snprintf(to, bytes, "/tmp/zcfwd-%u", (unsigned int)geteuid());
}

int
control_address(const char *text, struct sockaddr_un *to, struct err *e)
{
	static const char scheme[] = "unix:";
	char folder[sizeof(to->sun_path)];
	int n;

	*to = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strncmp(text, scheme, strlen(scheme)) == 0) {
		n = snprintf(to->sun_path, sizeof(to->sun_path), "%s", text + strlen(scheme));
		if (n == 0)
			return err_set(e, EINVAL,
				"control \"%s\": expected a path behind unix:", text);
	} else if (text[0] == '\0' || text[0] == '.' || strlen(text) > NAME_BYTES ||
		text[strspn(text, NAME_CHARACTERS)] != '\0') {
		return err_set(e, EINVAL,
			"control \"%.100s\": expected unix:PATH, or a name of up to %d letters, digits, \".\", \"_\" and \"-\"",
			text, NAME_BYTES);
	} else {
		control_folder(folder, sizeof(folder));
		n = snprintf(to->sun_path, sizeof(to->sun_path), "%s/%s" SUFFIX, folder, text);
	}
	if (n >= (int)sizeof(to->sun_path))
		return err_set(e, ENAMETOOLONG, "control \"%s\": the path is longer than %zu bytes",
			text, sizeof(to->sun_path) - 1);
	return 0;
}

/* True for "NAME.sock", whose NAME is copied to name[NAME_BYTES + 1]. */
static bool
is_socket_name(const char *file, char *name)
{
	const size_t n = strlen(file), suffix = strlen(SUFFIX);

	if (n <= suffix || n - suffix > NAME_BYTES || strcmp(file + n - suffix, SUFFIX) != 0)
		return false;
	memcpy(name, file, n - suffix);
	name[n - suffix] = '\0';
	return true;
}

/* True unless the program has ended without removing its socket. */
static bool
is_live(const char *folder, const char *name)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int n = snprintf(at.sun_path, sizeof(at.sun_path), "%s/%s" SUFFIX, folder, name);
	bool live = true;

	if (fd >= 0 && n < (int)sizeof(at.sun_path))
		live = connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 ||
			errno != ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return live;
}

/* Count the sockets of a folder; live: without those of programs that have ended. first: one of them; all: each. */
static unsigned int
names_read(const char *folder, bool live, char *first, char all[256])
{
	char name[NAME_BYTES + 1];
	DIR *const dir = opendir(folder);
	struct dirent *one;
	unsigned int n = 0;

	all[0] = '\0';
	while (dir != NULL && (one = readdir(dir)) != NULL) {
		if (!is_socket_name(one->d_name, name) || (live && !is_live(folder, name)))
			continue;
		if (n++ == 0)
			strcpy(first, name);
		snprintf(all + strlen(all), 256 - strlen(all), " %s", name);
	}
	if (dir != NULL)
		closedir(dir);
	return n;
}

/* Find the only socket of the folder. */
static int
only_name(char *only, struct err *e)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	char all[256];
	unsigned int n;

	control_folder(folder, sizeof(folder));
	n = names_read(folder, false, only, all);
	if (n == 0)
		return err_set(e, ENOENT, "no program with --control in %s", folder);
	if (n > 1)
		n = names_read(folder, true, only, all);
	if (n == 0)
		return err_set(e, ENOENT, "all programs in %s have ended", folder);
	if (n > 1)
		return err_set(e, ENOTUNIQ, "%u programs in %s: expected the name of one:%s", n,
			folder, all);
	return 0;
}

int
control_address_folder(const char *folder, struct err *e)
{
	struct stat st;

	if (lstat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "control: %s is not a folder", folder);
	if ((st.st_uid != geteuid() && st.st_uid != 0) || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(e, EPERM, "control: others can write to %s, or own it", folder);
	return 0;
}

int
control_folder_open(const char *path, bool named, struct err *e)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 2];
	char *slash;
	int fd;

	snprintf(folder, sizeof(folder), "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
	slash = strrchr(folder, '/');
	slash[slash == folder] = '\0';
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return err_set(e, errno, "control: %s: %s", folder, strerror(errno));
	if (named && control_address_folder(folder, e) != 0)
		return -e->code;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX) != 0) {
		err_set(e, errno, "control: %s: %s", folder, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -e->code;
	}
	return fd;
}

int
control_connect(const char *text, struct err *e)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	char only[NAME_BYTES + 1];
	struct sockaddr_un address;
	int fd;

	if (text == NULL && only_name(only, e) != 0)
		return -e->code;
	if (control_address(text != NULL ? text : only, &address, e) != 0)
		return -e->code;
	control_folder(folder, sizeof(folder));
	if (strchr(text != NULL ? text : only, ':') == NULL && access(folder, F_OK) == 0 &&
		control_address_folder(folder, e) != 0)
		return -e->code;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	if (errno == ECONNREFUSED)
		err_set(e, errno, "%s: the program has ended without removing it",
			address.sun_path);
	else
		err_set(e, errno, "%s: %s", address.sun_path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -e->code;
}
