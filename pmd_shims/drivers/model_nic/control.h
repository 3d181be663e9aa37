/* Access to the models from outside the process. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Register the telemetry commands if the application has telemetry. */
void control_register(void);

/* Write the file of MODEL_NIC_REPORT; does nothing without that variable. */
void control_report_write(void);
