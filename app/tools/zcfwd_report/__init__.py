# SPDX-License-Identifier: BSD-3-Clause
"""Reading and showing what zcfwd recorded; doc/recording.md tells the formats."""
