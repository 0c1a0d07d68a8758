#include "reports/bundle/hash_check.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "reports/bundle/signature.h"

namespace aqbench {

std::string without_path(std::string_view message, const std::filesystem::path& path) {
  const std::string prefix = path.string();
  if (message.starts_with(prefix)) message.remove_prefix(prefix.size());
  while (message.starts_with(':') || message.starts_with(' ')) message.remove_prefix(1);
  return std::string(message);
}

HashCheck check_hashes(const std::filesystem::path& bundle, const std::vector<std::string>& files,
                       const std::vector<std::string>& required) {
  HashCheck check;
  if (!std::ranges::binary_search(files, kHashListName)) return check;
  const auto add_finding = [&](const std::string& file, std::string what) {
    check.findings.push_back({file, std::move(what)});
  };
  HashList list;
  try {
    list = parse_hash_list(read_text_file(bundle / kHashListName, kMaxHashListBytes));
  } catch (const Error& error) {
    add_finding(kHashListName, without_path(error.what(), bundle / kHashListName));
  }
  for (const std::string& problem : list.problems) add_finding(kHashListName, problem);
  std::map<std::string, std::string> expected;
  for (const HashLine& line : list.lines) expected[line.path] = line.sha256;
  if (list.problems.empty()) check.lines = std::move(list.lines);
  expected.erase(kHashListName);  // it states its own hash
  for (const std::string& file : files) {
    if (file == kHashListName || file == kSignatureName) continue;  // written after it
    const auto entry = expected.find(file);
    if (entry == expected.end()) {
      add_finding(file, "is not in sha256.txt");
      continue;
    }
    try {
      if (sha256_file_hex(bundle / file) != entry->second)
        add_finding(file, "does not have the hash in sha256.txt");
    } catch (const Error& error) {
      add_finding(file, without_path(error.what(), bundle / file));
    }
    ++check.files;
    expected.erase(entry);
  }
  for (const auto& [file, hash] : expected)
    if (std::ranges::find(required, file) == required.end()) add_finding(file, "is missing");
  return check;
}

}  // namespace aqbench
