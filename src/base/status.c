/* SPDX-License-Identifier: MIT */
#include "status.h"
