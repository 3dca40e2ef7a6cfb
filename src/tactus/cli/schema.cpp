// tactus schema: the JSON schema of system files, for editors.
#include "tactus/cli/verb.hpp"
#include "tactus/io/write_system.hpp"

namespace tactus::cli {

void add_schema(Verb app) {
  const Verb verb = app.add_verb("schema", "A JSON schema of system files, for editors");
  verb.footer(R"(
Editors complete and check system files with it. For those that use the YAML language server (VS Code, Neovim, ...)
the first line of a system file can name it:
  # yaml-language-server: $schema=tactus.schema.json

Example:
  tactus schema > tactus.schema.json)");
  verb.runs([] {
    print(system_file_schema());
    return answer_yes;
  });
}

}  // namespace tactus::cli
