/* SPDX-License-Identifier: MIT */
#include "setting.h"
