/* Before a prompt: what happened to ports is told, and those whose device went away are parted
 * with. */
#pragma once

struct ports;

/*
 * Say what happened to ports since the last call ("Port 0: link state change event"); the shell
 * calls it before a prompt. Ports whose device went away are closed and detached unless forwarding;
 * returns how many still wait for that. Thread: control.
 */
unsigned int port_events_show(struct ports *ps);
