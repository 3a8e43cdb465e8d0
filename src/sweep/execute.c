/* SPDX-License-Identifier: MIT */
#include "execute.h"
