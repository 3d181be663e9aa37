/* For tests of ports: commands run line by line on two embedded ports, with drivers that answer as told. */
#pragma once

#include "app.h"
#include "base.h"

struct port_lines_step {
	const char *line, *results, *failures; /* NULL: nothing is printed */
};

/* What the drivers answer on port `port` instead of doing something; 0: their own. */
extern struct port_lines_fake {
	int start, stop, configure, rxq, txq, mtu, reset, queue;
	int info;                /* once configured */
	unsigned int rxq_setups; /* counted */
	uint16_t port;
	bool down;
	uint64_t rx_can, tx_can;
	/* What the driver can of segments, pools and joined packets, when rx_can has buffer_split; and what it was told. */
	struct rte_eth_rxseg_capa segments_can;
	uint16_t pools_can;
	uint32_t lro_can;
	struct rte_eth_rxseg_split segments[8];
	struct rte_mempool *pools[8];
	unsigned int n_segments, n_pools, rxq_socket, txq_socket;
	struct rte_eth_conf conf; /* of the last configure */
} port_lines_fake;

/* Two started ports, 02:00:00:00:00:10 and ...:11; *state is the struct app. For cmocka_run_group_tests(). */
int port_lines_setup(void **state);
int port_lines_teardown(void **state);

/* Before each test: the drivers answer for themselves again. */
int port_lines_calm(void **state);

/* Run a line and compare what it printed: results, then failures, whose last line is the error's. */
void port_lines_says(const char *line, const char *results, const char *failures);

/* All of an array of steps. */
#define PORT_LINES(steps) port_lines_run(steps, ARRAY_SIZE(steps))
void port_lines_run(const struct port_lines_step *steps, size_t n);

/* What was printed since the last look. */
const char *port_lines_results(void);
const char *port_lines_failures(void);

/* What testpmd says of these two ports. */
#define CHECKING "Checking link statuses...\n"
#define CONFIGURING(n) "Configuring Port " #n " (socket 0)\n"
#define MAC(n) "Port " #n ": 02:00:00:00:00:1" #n "\n"
#define STOPPED "Stopping ports...\n" CHECKING "Done\n"
#define STARTED MAC(0) MAC(1) CHECKING "Done\n"
#define CONFIGURED CONFIGURING(0) MAC(0) CONFIGURING(1) MAC(1) CHECKING "Done\n"
