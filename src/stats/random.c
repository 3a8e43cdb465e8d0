/* SPDX-License-Identifier: MIT */
#include "random.h"
