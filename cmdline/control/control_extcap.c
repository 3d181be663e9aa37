/* zcfwd extcap: Wireshark's questions to a program that captures for it, and their answers. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wireshark runs each program of its extcap folder several times: for its interfaces, which are the
 * ports of all programs that have a control socket here; for the link types and the options of one; to
 * check a filter, where what is printed to stdout is what is wrong; and to capture to a FIFO, until it
 * sends SIGTERM or closes the FIFO. Text on stderr is shown if the status is not 0.
 */
#include "cmdline/control/control_extcap.h"

#include "base/base.h"
#include "base/err.h"
#include "base/interrupt.h"
#include "base/json_read.h"
#include "base/out.h"
#include "cmdline/control/control_address.h"
#include "cmdline/control/control_tap.h"
#include "cmdline/control/talk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define INTERFACE "zcfwd:" /* NAME:PORT */
#define SUFFIX ".sock"
#define ANSWER_MS 2000 /* a program that is busy for longer is not listed */
#define RETRY_MS 20

struct asked {
	bool interfaces, dlts, config, capture;
	const char *interface, *fifo, *filter, *ways, *snaplen;
};

/* Read the arguments: "--key value" or "--key=value". */
static void
asked_read(int argc, char **argv, struct asked *a)
{
	const struct {
		const char *key;
		bool *flag;
		const char **value;
	} words[] = { { "--extcap-interfaces", &a->interfaces, NULL },
		{ "--extcap-dlts", &a->dlts, NULL }, { "--extcap-config", &a->config, NULL },
		{ "--capture", &a->capture, NULL }, { "--extcap-interface", NULL, &a->interface },
		{ "--fifo", NULL, &a->fifo }, { "--extcap-capture-filter", NULL, &a->filter },
		{ "--direction", NULL, &a->ways }, { "--snaplen", NULL, &a->snaplen } };

	for (int i = 0; i < argc; i++) {
		const size_t n = strcspn(argv[i], "=");

		for (size_t k = 0; k < ARRAY_SIZE(words); k++) {
			if (strlen(words[k].key) != n || strncmp(argv[i], words[k].key, n) != 0)
				continue;
			if (words[k].flag != NULL)
				*words[k].flag = true;
			else if (argv[i][n] == '=')
				*words[k].value = argv[i] + n + 1;
			else if (i + 1 < argc)
				*words[k].value = argv[++i];
			break;
		}
	}
	/* An empty field of Wireshark's window. */
	if (a->filter != NULL && a->filter[0] == '\0')
		a->filter = NULL;
}

/* Print the ports of a program's "show port summary all". */
static void
ports_print(struct out *out, const char *name, char *text)
{
	char *rest, device[64];
	unsigned int port;

	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
		line = strtok_r(NULL, "\n", &rest))
		if (sscanf(line, "%u %*17[0-9A-Fa-f:] %63s", &port, device) == 2)
			fprintf(out_file(out),
				"interface {value=" INTERFACE
				"%s:%u}{display=zcfwd %s port %u: %s}\n",
				name, port, name, port, device);
}

/* Collect the text of an answer until it is done. */
static int
text_collect(struct talk *t, FILE *to, struct err *e)
{
	struct json_read value;
	char *text;
	int got = 0;

	while (got >= 0 && e->code == 0) {
		got = talk_line(t, -1, ANSWER_MS, &value, e);
		if (got == TALK_DONE)
			return 0;
		if (got != TALK_TEXT)
			continue;
		text = talk_string(&value, e);
		fputs(text != NULL ? text : "", to);
		free(text);
	}
	return got;
}

/* Print the ports of a program, which may be busy, or have ended. */
static int
program_list(struct out *out, const char *name, struct interrupt *interrupt, struct err *e)
{
	const struct talk_request r = { .what = "run",
		.format = "text",
		.line = "show port summary all" };
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);
	struct talk t;
	int ret;

	if (to == NULL)
		return err_set(e, ENOMEM, "no memory");
	ret = talk_open(&t, name, interrupt, e);
	if (ret == 0) {
		ret = talk_send(&t, &r, e) == 0 ? text_collect(&t, to, e) : -e->code;
		talk_close(&t);
	}
	if (ret == -EAGAIN)
		err_set(e, EAGAIN, "%s does not answer: it is busy", name);
	if (fclose(to) == 0 && ret == 0)
		ports_print(out, name, text);
	free(text);
	return -e->code;
}

/* List the ports of all programs that have a name. One that does not answer is told on stderr. */
static void
interfaces_list(struct out *out, struct interrupt *interrupt)
{
	char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)], name[sizeof(folder)];
	struct dirent *one;
	struct err odd;
	DIR *dir;

	fprintf(out_file(out), "extcap {version=1.0}{display=zcfwd}\n");
	control_folder(folder, sizeof(folder));
	dir = opendir(folder);
	while (dir != NULL && (one = readdir(dir)) != NULL) {
		const size_t n = strlen(one->d_name);

		if (n <= strlen(SUFFIX) || n >= sizeof(name) ||
			strcmp(one->d_name + n - strlen(SUFFIX), SUFFIX) != 0)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(n - strlen(SUFFIX)), one->d_name);
		err_clear(&odd);
		if (program_list(out, name, interrupt, &odd) != 0)
			out_warn(out, "zcfwd: extcap: %s\n", odd.text);
	}
	if (dir != NULL)
		closedir(dir);
}

static void
config_print(struct out *out)
{
	fprintf(out_file(out), "%s",
		"arg {number=0}{call=--direction}{display=Direction}{type=selector}"
		"{tooltip=Packets that the port receives, that it sends, or both}\n"
		"value {arg=0}{value=both}{display=received and sent}{default=true}\n"
		"value {arg=0}{value=rx}{display=received}{default=false}\n"
		"value {arg=0}{value=tx}{display=sent}{default=false}\n"
		"arg {number=1}{call=--snaplen}{display=Bytes kept of a packet}{type=unsigned}"
		"{range=1,65535}{default=65535}\n");
}

/* Open Wireshark's FIFO when that is read. A signal ends the wait. */
static int
fifo_open(const char *path, struct interrupt *interrupt, struct err *e)
{
	int fd;

	for (;;) {
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		if (fd >= 0)
			return fd;
		if (errno != ENXIO)
			return err_set(e, errno, "extcap: %s: %s", path, strerror(errno));
		if (interrupt_wait(interrupt, -1, RETRY_MS))
			return err_set(e, ECANCELED, "extcap: no reader opens %s", path);
	}
}

/* Find out what to tap: "zcfwd:NAME:PORT" in text, which is cut. */
static int
plan_read(const struct asked *a, char *text, struct control_tap_plan *p, struct err *e)
{
	char *name = text + strlen(INTERFACE), *colon;

	*p = (struct control_tap_plan){ .ways = a->ways,
		.snaplen = a->snaplen,
		.filter = a->filter };
	if (strncmp(text, INTERFACE, strlen(INTERFACE)) != 0)
		name = NULL;
	colon = name != NULL ? strrchr(name, ':') : NULL;
	if (colon == NULL || colon == name || colon[1] == '\0' ||
		colon[1 + strspn(colon + 1, "0123456789")] != '\0')
		return err_set(e, EINVAL,
			"extcap: interface \"%s\": expected " INTERFACE "NAME:PORT", text);
	*colon = '\0';
	p->name = name;
	p->port = colon + 1;
	if (a->ways != NULL && strcmp(a->ways, "rx") != 0 && strcmp(a->ways, "tx") != 0 &&
		strcmp(a->ways, "both") != 0)
		return err_set(e, EINVAL, "extcap: --direction %s: expected rx, tx or both",
			a->ways);
	if (a->snaplen != NULL && a->snaplen[strspn(a->snaplen, "0123456789")] != '\0')
		return err_set(e, EINVAL, "extcap: --snaplen %s: expected 1..65535", a->snaplen);
	return 0;
}

/* Capture, or only check the filter. */
static int
interface_use(const struct asked *a, struct out *out, struct interrupt *interrupt, struct err *e)
{
	struct control_tap_plan plan;
	char *text = strdup(a->interface);
	int ret;

	if (text == NULL)
		return err_set(e, ENOMEM, "extcap: no memory");
	ret = plan_read(a, text, &plan, e);
	plan.interrupt = interrupt;
	if (ret == 0 && a->capture) {
		plan.to = fifo_open(a->fifo, interrupt, e);
		ret = plan.to < 0 ? plan.to : control_tap_run(&plan, out, e);
		if (plan.to >= 0)
			close(plan.to);
	} else if (ret == 0 && a->filter != NULL) {
		ret = control_tap_check(&plan, e);
		if (ret == -EPROTO) {
			fprintf(out_file(out), "%s\n", e->text);
			err_clear(e);
			ret = 0;
		}
	}
	free(text);
	return ret;
}

int
control_extcap(int argc, char **argv, struct out *out, struct err *e)
{
	struct asked a = { .interfaces = false };
	struct interrupt interrupt;

	asked_read(argc, argv, &a);
	if (interrupt_open(&interrupt, e) != 0)
		return -e->code;
	if (a.interfaces) {
		interfaces_list(out, &interrupt);
		return 0;
	}
	if (a.interface == NULL)
		return err_set(e, EINVAL,
			"extcap: Wireshark runs this, with --extcap-interfaces or --extcap-interface; see \"zcfwd tap\"");
	if (a.capture && a.fifo == NULL)
		return err_set(e, EINVAL, "extcap: --capture: expected --fifo PATH");
	if (a.dlts)
		fprintf(out_file(out), "dlt {number=1}{name=EN10MB}{display=Ethernet}\n");
	else if (a.config)
		config_print(out);
	else
		return interface_use(&a, out, &interrupt, e);
	return 0;
}
