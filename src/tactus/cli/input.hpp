// Files that a verb reads and writes; `-` is standard input or output.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tactus/io/system_file.hpp"

namespace tactus::cli {

struct InputText {
  std::string name;  // as used in messages: "stdin" for standard input
  std::string text;
};

/// InputError when it cannot be read, or when standard input has been read before.
InputText read_input(const std::string& path);

/// The system in that input. InputError with all problems when it is not valid.
System load_input(const std::string& path, Completeness completeness = Completeness::complete,
                  std::span<const Override> overrides = {});

inline bool is_standard_stream(const std::string& path) { return path == "-"; }

/// An option that writes to standard output.
struct StdoutClaim {
  std::string option;
  bool there = false;
};

/// InputError when there is more than one, since their outputs would be mixed.
void refuse_to_mix(const std::vector<StdoutClaim>& claims);

/// Prints a result for users: to standard output, or to standard error if standard output carries data for a
/// program.
void print_beside(bool standard_output_is_taken, const std::string& text);

/// The path to write to for an output argument; `-` becomes the file of standard output.
std::filesystem::path output_path(const std::string& path);

}  // namespace tactus::cli
