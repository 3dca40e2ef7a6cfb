// One task of a system file.
#pragma once

#include "tactus/io/reader.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/task.hpp"

namespace tactus::io {

/// What cannot be read is replaced by a value that breaks no rule. The name stays empty then.
Task read_task(const Value& value, const Gpu& gpu, Reader& reader);

}  // namespace tactus::io
