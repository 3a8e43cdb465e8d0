#include "syncost/meter.h"
