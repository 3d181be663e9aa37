#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints pair_loops.h: a loop for each pair of two drivers' queues that is compiled with both layouts as constants. meson runs this."""

import textwrap

HEADERS = ("intel/intel_rows", "mlx5/mlx5", "pair", "virtio/virtio", "virtio/virtio_rx", "virtio/virtio_tx")

# Ends of pairs, with the layout of the DPDK release at compile time as a constant: a C expression for each function of
# struct shim_rx_ops or shim_tx_ops, with L for the layout.
INTEL_RX_END = ("intel_rx_ops", "L->rearm", "intel_room(rx, L, shut)", "intel_arm(rx, L, mbufs, mbufs->stride, sure)",
                "intel_hide(rx, L, hidden)", "intel_unhide(rx, L, hidden)")
INTEL_TX_END = {stride: (f"intel_tx_ops_{stride}", "L->least", stride, f"intel_sent(tx, L, {stride})", "intel_taken(tx, L, mbufs)")
                for stride in (8, 16)}
# driver: (layout, struct of functions, mbufs in a batch, room, arm, hide, unhide)
RX_ENDS = {
    "i40e": ("I40E_RX_BUILT", *INTEL_RX_END),
    "ixgbe": ("IXGBE_RX_BUILT", *INTEL_RX_END),
    "ice": ("ICE_RX_BUILT", *INTEL_RX_END),
    "mlx5": ("MLX5_RX_BUILT", "mlx5_rx_ops", 1, "mlx5_room(rx, L, shut)", "mlx5_arm(rx, L, mbufs, sure)", "mlx5_hide(rx, L, hidden)", "mlx5_unhide(rx, L, hidden)"),
    "virtio_split": ("VIRTIO_BUILT", "virtio_split_rx_ops", "VIRTIO_BATCH", "virtio_room(rx, L, false, shut)", "virtio_arm_split(rx, L, mbufs, sure)",
                     "virtio_hide(rx, L, false, hidden)", "virtio_unhide(rx, L, hidden)"),
    "virtio_packed": ("VIRTIO_BUILT", "virtio_packed_rx_ops", "VIRTIO_BATCH", "virtio_room(rx, L, true, shut)", "virtio_arm_packed(rx, L, mbufs, sure)",
                      "virtio_hide(rx, L, true, hidden)", "virtio_unhide(rx, L, hidden)"),
}
# end: (driver, layout, struct of functions, mbufs in a batch, stride, sent, taken). A sent() of virtio removes the mbufs from the ring.
TX_ENDS = {
    "i40e_8": ("i40e", "I40E_TX_BUILT", *INTEL_TX_END[8]),
    "i40e_16": ("i40e", "I40E_TX_BUILT", *INTEL_TX_END[16]),
    "ixgbe": ("ixgbe", "IXGBE_TX_BUILT", *INTEL_TX_END[8]),
    "ice": ("ice", "ICE_TX_BUILT", *INTEL_TX_END[16]),
    "mlx5": ("mlx5", "MLX5_TX_BUILT", "mlx5_tx_ops", 1, 8, "mlx5_sent(tx, L)", "mlx5_taken(tx, L, mbufs)"),
    "virtio_split": ("virtio_split", "VIRTIO_BUILT", "virtio_split_tx_ops", "VIRTIO_BATCH", 8, "virtio_sent_split(tx, L)", ""),
    "virtio_packed": ("virtio_packed", "VIRTIO_BUILT", "virtio_packed_tx_ops", "VIRTIO_BATCH", 8, "virtio_sent_packed(tx, L)", ""),
}
# Each driver is paired with itself, and each of these with each other; ice is i40e since 25.07, when their layouts became equal.
MIXED = [{"i40e", "ixgbe", other} for other in ("mlx5", "virtio_split", "virtio_packed")]


def wrapped(text, width=100):
    return textwrap.fill(text, width - 8, initial_indent="\t" * text.startswith("{"), subsequent_indent="\t\t", break_long_words=False)


def function(result, name, parameters, body):
    """A C function of one statement, whose lines end at 100 columns."""
    signature = textwrap.fill(f"{name}({parameters})", 100, subsequent_indent=" " * 8, break_long_words=False)
    return "\n".join([result, signature.replace(" " * 8, "\t"), "{", *(["\t" + wrapped(body, 92)] if body else []), "}", ""])


def loops():
    """The header."""
    inline, ends, pairs, rows = "static __rte_always_inline ", [], [], []
    for driver, (layout, operations, _, room, arm, *hides) in RX_ENDS.items():
        ends += [function(f"{inline}uint16_t", f"{driver}_built_room", "const struct shim_rx *rx, uint16_t shut", f"return {room};".replace("L", layout, 1)),
                 function(f"{inline}bool", f"{driver}_built_arm", "const struct shim_rx *rx, const struct shim_mbufs *mbufs, bool sure",
                          f"return {arm};".replace("L", layout, 1)),
                 *(function(f"{inline}uint16_t", f"{driver}_built_{name}", "const struct shim_rx *rx, struct shim_hidden *hidden",
                            f"return {call};".replace("L", layout, 1)) for name, call in zip(("hide", "unhide"), hides)),
                 wrapped(f"static const struct pair_end {driver}_built_rx = {{ &{operations}, {layout}, sizeof(*{layout}) }};") + "\n"]
    for name, (_, layout, operations, batch, stride, sent, taken) in TX_ENDS.items():
        ends += [function(f"{inline}struct shim_mbufs", f"{name}_built_sent", "const struct shim_tx *tx", f"return {sent};".replace("L", layout, 1)),
                 function(f"{inline}void", f"{name}_built_taken", "const struct shim_tx *tx, const struct shim_mbufs *mbufs",
                          taken and f"{taken};".replace("L", layout, 1)),
                 wrapped(f"static const struct pair_end {name}_built_tx = {{ &{operations}, {layout}, sizeof(*{layout}) }};") + "\n"]
        pairs.append(function("static uint16_t", f"{name}_cache", "struct recycle *r",
                              f"return pair_run_cache(r, {name}_built_sent, {name}_built_taken, {batch}, {stride});".replace("L->", f"{layout}->")))
    for rx, (rx_layout, _, rx_batch, *_) in RX_ENDS.items():
        for tx, (driver, tx_layout, _, tx_batch, stride, *_) in TX_ENDS.items():
            if rx != driver and not any({rx, driver} <= mixed for mixed in MIXED):
                continue
            rx_batch, tx_batch = (str(batch).replace("L->", f"{layout}->") for batch, layout in ((rx_batch, rx_layout), (tx_batch, tx_layout)))
            for way, first in (("ring", ""), ("window", f"{rx}_built_hide, {rx}_built_unhide, ")):
                pairs.append(function("static uint16_t", f"{rx}_from_{tx}_{way}", "struct recycle *r",
                                      f"return pair_run_{way}(r, {first}{rx}_built_room, {rx}_built_arm, {rx_batch}, "
                                      f"{tx}_built_sent, {tx}_built_taken, {tx_batch}, {stride});"))
            rows.append(wrapped(f"{{ &{rx}_built_rx, &{tx}_built_tx, {rx}_from_{tx}_ring, {rx}_from_{tx}_window, {tx}_cache@}},").replace("@", " "))
    return "\n".join(["/* Loops compiled for pairs of two drivers' queues: made by pair_loops.py from its tables. */",
                      "/* SPDX-License-Identifier: BSD-3-Clause */", "#pragma once", "", *(f'#include "pmd_shims/recycle/{name}.h"' for name in HEADERS), "", "/* clang-format off */", *ends, *pairs,
                      "static const struct pair_row pair_rows[] = {", *rows, "};", "/* clang-format on */", ""])


print(loops(), end="")
