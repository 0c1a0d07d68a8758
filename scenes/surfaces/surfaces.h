#pragma once
// All surfaces by formula, each in a header of its name. Shapes are plain structs with defaults.

#include "scenes/surfaces/mound.h"
#include "scenes/surfaces/plane.h"
#include "scenes/surfaces/ripple_field.h"
#include "scenes/surfaces/step.h"
#include "scenes/surfaces/undulating.h"
