# SPDX-License-Identifier: BSD-3-Clause
"""Read and show zcfwd recordings; the formats are described in doc/recording.md."""
