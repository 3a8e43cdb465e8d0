/* SPDX-License-Identifier: MIT */
#include "hist.h"
