// Commands that a page shows with what they print.
#pragma once

#include <functional>
#include <string>

namespace tactus::test {

/// The page with the output below every "$ tactus ARGUMENTS" of its console blocks replaced by what `run`
/// answers for the arguments.
std::string with_outputs(const std::string& page, const std::function<std::string(const std::string&)>& run);

/// Whether tests shall write anew what the repository shows of the command instead of comparing it: where
/// TACTUS_REWRITE_DOCS is set.
bool rewrites_documents();

}  // namespace tactus::test
