// The entries of a task that say what its jobs do.
#pragma once

#include "tactus/io/reader.hpp"
#include "tactus/model/platform.hpp"
#include "tactus/model/task.hpp"

namespace tactus::io {

/// Reads the one kind of work a task has. Returns whether the file means exactly this.
bool read_work(const Value& value, const Fields& fields, const Gpu& gpu, Task& task, Reader& reader);

/// What stands for work that could not be read.
Work some_work();

}  // namespace tactus::io
