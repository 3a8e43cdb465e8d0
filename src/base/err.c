/* SPDX-License-Identifier: MIT */
#include "err.h"
