// Files that a verb reads and writes; `-` is standard input, or standard output.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tactus/io/system_file.hpp"

namespace tactus::cli {

struct InputText {
  std::string name;  // as messages call it: "stdin" for standard input
  std::string text;
};

/// InputError when it cannot be read, or when standard input was read before.
InputText read_input(const std::string& path);

/// The system of that input. InputError with all problems when there is no valid one.
System load_input(const std::string& path, Completeness completeness = Completeness::complete,
                  std::span<const Override> overrides = {});

inline bool is_standard_stream(const std::string& path) { return path == "-"; }

/// A way in which the user asked for something on standard output.
struct StdoutClaim {
  std::string option;
  bool there = false;
};

/// InputError when more than one of them is there: what they write would be mixed up.
void refuse_to_mix(const std::vector<StdoutClaim>& claims);

/// A result for people: on standard output, or where that is taken by what a program reads, on standard
/// error.
void print_beside(bool standard_output_is_taken, const std::string& text);

/// Where a file of that name is written: standard output is a file, too.
std::filesystem::path output_path(const std::string& path);

}  // namespace tactus::cli
