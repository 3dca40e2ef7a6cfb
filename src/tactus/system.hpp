// A system: its platform, tasks and policy, from a file or from code.
//
//   const tactus::System system = tactus::load("robot.yaml");
//
// `System`, `Platform`, `Task`, its segments and `Policy` are the model; `load` and `read_system` read system
// files, `save` and `to_system_file` write them; `find_preset` knows machines by name; `validate` says which
// rules a system made in code breaks. What is wrong is thrown as `InputError` (every problem, with its line)
// or `FailureError`. See docs/format.md.
#pragma once

#include "tactus/base/error.hpp"
#include "tactus/base/text.hpp"
#include "tactus/base/time.hpp"
#include "tactus/base/version.hpp"
#include "tactus/io/system_file.hpp"
#include "tactus/io/write_system.hpp"
#include "tactus/model/presets.hpp"
#include "tactus/model/system.hpp"
#include "tactus/model/validate.hpp"
