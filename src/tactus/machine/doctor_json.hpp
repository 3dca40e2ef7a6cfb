// The facts and findings about this machine as JSON (docs/json.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/machine/doctor.hpp"

namespace tactus::machine {

nlohmann::ordered_json to_json(const Finding& finding);
nlohmann::ordered_json to_json(const TimerFacts& timers);
nlohmann::ordered_json to_json(const GpuDevice& device);

}  // namespace tactus::machine
