/* Messages of the vfio-user protocol 0.1, which QEMU's vfio-user-pci speaks: little endian, as in memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

enum message_command {
	MESSAGE_VERSION = 1,
	MESSAGE_DMA_MAP = 2,
	MESSAGE_DMA_UNMAP = 3,
	MESSAGE_DEVICE_INFO = 4,
	MESSAGE_REGION_INFO = 5,
	MESSAGE_IRQ_INFO = 7,
	MESSAGE_SET_IRQS = 8,
	MESSAGE_REGION_READ = 9,
	MESSAGE_REGION_WRITE = 10,
	MESSAGE_RESET = 13,
};

enum message_flag {
	MESSAGE_TYPE = 0xf, /* 0: a command, 1: a reply */
	MESSAGE_REPLY = 1,
	MESSAGE_NO_REPLY = 1 << 4,
	MESSAGE_ERROR = 1 << 5,
};

struct message_head {
	uint16_t id, command;
	uint32_t size; /* bytes, the head included */
	uint32_t flags, error;
};

struct message_version {
	uint16_t major, minor; /* followed by capabilities, JSON with its NUL */
};

struct message_dma_map {
	uint32_t argsz, flags;
	uint64_t offset; /* in the file that comes with it */
	uint64_t address, size;
};

struct message_dma_unmap {
	uint32_t argsz, flags;
	uint64_t address, size;
};

struct message_device_info {
	uint32_t argsz, flags, regions, irqs;
};

struct message_region_info {
	uint32_t argsz, flags, index, cap_offset;
	uint64_t size, offset;
};

struct message_irq_info {
	uint32_t argsz, flags, index, count;
};

struct message_set_irqs {
	uint32_t argsz, flags, index, start, count;
};

/* Of a read and a write, before the data. */
struct message_region {
	uint64_t offset;
	uint32_t region, count;
};

/* Numbers and flags of Linux' VFIO for PCI devices. */
enum {
	DEVICE_RESETS = 1 << 0,
	DEVICE_PCI = 1 << 1,
	REGION_READABLE = 1 << 0,
	REGION_WRITABLE = 1 << 1,
	REGION_BAR0 = 0,
	REGION_CONFIG = 7,
	REGIONS = 9,
	IRQ_EVENT = 1 << 0,
	IRQ_FIXED = 1 << 3, /* NORESIZE */
	IRQ_MSI = 1,
	IRQ_MSIX = 2,
	IRQS = 5,
	SET_DATA_EVENT = 1 << 2,
	SET_TRIGGER = 1 << 5,
};
