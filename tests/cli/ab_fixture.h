#pragma once
// What the tests of `aqbench ab` share.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/folder.h"

namespace aqbench::testing {

// A folder for each test, and files in it.
class Ab : public Folder {
 protected:
  // A file of samples for --samples.
  std::string samples(const std::vector<nlohmann::ordered_json>& cases) const {
    write("samples.json", nlohmann::ordered_json{{"cases", cases}}.dump());
    return dir_ / "samples.json";
  }
  // A shell script with this body, as a program.
  std::string script(const std::string& name, const std::string& body) const {
    write_program(dir_ / name, "#!/bin/sh\n" + body + "\n");
    return dir_ / name;
  }
  // The lines of the journal: a header and one for each pair (and each resumption).
  static std::ptrdiff_t pair_lines(const std::filesystem::path& bundle) {
    std::ifstream file(bundle / "journal.jsonl");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }
};

}  // namespace aqbench::testing
