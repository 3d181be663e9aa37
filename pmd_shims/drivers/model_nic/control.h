/* Asking and telling from outside the process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Make telemetry's commands, when the application has telemetry. */
void control_register(void);

/* Write MODEL_NIC_REPORT's file. */
void control_report_write(void);
