// tactus sweep in a build without the library it needs: says so.
#include "tactus/base/error.hpp"
#include "tactus/cli/verb.hpp"

namespace tactus::cli {

void add_sweep(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("sweep", "Not in this build: it needs oneTBB (package libtbb-dev)");
  verb->allow_extras();
  verb->callback([&action] {
    action = []() -> int {
      throw FailureError{
          "this build of tactus has no `sweep`: it was built where oneTBB is missing (package libtbb-dev)"};
    };
  });
}

}  // namespace tactus::cli
