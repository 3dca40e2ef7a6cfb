// Custom properties: what users add to elements for tools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/import/element.hpp"

namespace tactus::import {

/// The text of the property, whatever its class; of a time "value unit". Upper and lower case are the same.
std::optional<std::string> property(const Element& element, std::string_view key);

/// A property that is a whole number, also when written as text or as 7.0. Nothing where it is none.
std::optional<std::int64_t> integer_property(const Element& element, std::string_view key);

/// The value of an element that holds a value object: text or number, of a time "value unit".
std::optional<std::string> object_text(const Element& holder);

/// Whole numbers as such objects write them.
std::optional<std::int64_t> parse_whole(std::string_view text);

/// Lower case letters and digits alone, so that spellings can be compared.
std::string folded(std::string_view text);

/// The documented keys that describe a kernel.
namespace keys {
inline constexpr std::string_view grid = "GridSize";
inline constexpr std::string_view block = "BlockSize";
inline constexpr std::string_view shared_memory = "SharedMemBytes";
inline constexpr std::string_view registers = "RegsPerThread";
inline constexpr std::string_view stream = "Stream";
inline constexpr std::string_view stream_priority = "StreamPriority";
}  // namespace keys

}  // namespace tactus::import
