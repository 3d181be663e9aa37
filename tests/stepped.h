/* What a test asks of a plugin of modelled NICs that it steps by itself. */
#pragma once

#include <stdbool.h>

struct model_nic_report;

struct stepped {
	bool (*report)(unsigned, struct model_nic_report *);
	void (*reset)(unsigned);
	unsigned (*step)(void);
};

/* Fill in from the plugin that MODEL_NIC_PLUGIN names and EAL has loaded; asserts that it is there. */
void stepped_open(struct stepped *s);

/* The reports of so many ports, added up. */
void stepped_reports(const struct stepped *s, unsigned ports, struct model_nic_report *sum);
