/* Faults on a real GPU, by LD_PRELOAD: launches of the program's kernel go wrong on purpose. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA_FAULTS=fault=N: launch N gets packets at an address that there is not, so that the kernel
 * faults. mute=N: launch N tells its end elsewhere, as if it never ended. Comes between the program
 * and dlsym(), by which the program finds the driver's functions.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int launch(void *function, unsigned int bx, unsigned int by, unsigned int bz,
	unsigned int tx, unsigned int ty, unsigned int tz, unsigned int shared, void *stream,
	void **parameters, void **extra);

static launch *real_launch;

static unsigned long
told(const char *word)
{
	const char *text = getenv("CUDA_FAULTS");
	const size_t n = strlen(word);

	return text != NULL && strncmp(text, word, n) == 0 && text[n] == '='
		? strtoul(text + n + 1, NULL, 10)
		: 0;
}

/* Parameters: packets, results, histogram, n, the count of blocks, where the end is told, number. */
static int
launch_wrong(void *function, unsigned int bx, unsigned int by, unsigned int bz, unsigned int tx,
	unsigned int ty, unsigned int tz, unsigned int shared, void *stream, void **parameters,
	void **extra)
{
	static unsigned long launches;
	static uint64_t nowhere = 64;

	launches++;
	if (launches == told("fault"))
		parameters[0] = &nowhere;
	if (launches == told("mute"))
		parameters[5] = parameters[1]; /* into a result that nobody will read */
	return real_launch(function, bx, by, bz, tx, ty, tz, shared, stream, parameters, extra);
}

void *
dlsym(void *restrict handle, const char *restrict name)
{
	static void *(*real)(void *, const char *);
	launch *wrong = launch_wrong;
	void *found;

	if (real == NULL) {
		found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
		if (found == NULL)
			found = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
		memcpy(&real, &found, sizeof(real));
	}
	found = real(handle, name);
	if (strcmp(name, "cuLaunchKernel") != 0 || found == NULL)
		return found;
	memcpy(&real_launch, &found, sizeof(real_launch));
	memcpy(&found, &wrong, sizeof(found));
	return found;
}
