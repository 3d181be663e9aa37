/* The chips that are modelled: a new one is a file of its own and a word here. */
#include "model_nic/model.h"

const struct model_family *const model_families[] = { &model_xl710, &model_82599, &model_x540,
	NULL };
