/* SPDX-License-Identifier: MIT */
#include "order.h"
