// An imported model for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tactus/import/import.hpp"

namespace tactus::import {

nlohmann::ordered_json to_json(const Imported& imported);

}  // namespace tactus::import
