// Which runnables call which, and what each does together with those that it calls.
#pragma once

#include "tactus/import/software.hpp"

namespace tactus::import {

/// Brings runnables into an order in which those that are called come before those that call them, and sets
/// what follows from calls. Calls in a circle, or deeper than the limit, are problems where a task makes
/// them; wherever they are, they are cut, so that all that follows calls ends.
void follow_calls(Software& software, Notes& notes);

}  // namespace tactus::import
