// XML text as elements. Entities are never expanded beyond XML's own five, and nothing outside the text is
// read.
#pragma once

#include <cstdint>

#include "tactus/base/error.hpp"
#include "tactus/import/element.hpp"
#include "tactus/import/source.hpp"

namespace tactus::import {

/// Whether this build has the libraries that read models.
bool is_available();

/// InputError of a build without them.
InputError not_available();

struct ParsedFile {
  Element root;
  std::string root_namespace;  // the URI of the root's prefix
};

/// The root of a text, with everything below it. InputError when the text is not well-formed XML, declares a
/// document type or is nested too deeply. `file` becomes that of the elements.
ParsedFile parse_xml(const SourceText& source, std::uint32_t file);

}  // namespace tactus::import
