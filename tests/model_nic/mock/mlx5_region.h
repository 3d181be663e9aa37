/* Memory regions of the mlx5 family: what a key in an element lets the NIC touch. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

/*
 * Keys are big endian in elements. Returns the key, 0: no room for another one. Thread: any, as of
 * all here.
 */
uint32_t mlx5_region_add(const void *start, size_t bytes);
void mlx5_region_remove(uint32_t key);

/* Whether key covers len bytes at p. */
bool mlx5_region_covers(uint32_t key, const uint8_t *p, uint32_t len);

/* A data segment whose key does not cover what it names: counted and, the first times, told. */
void mlx5_region_complain(struct model *m, const struct ring *r, const uint8_t *segment);
