#pragma once
// That the records of one result are of one program each: two contents of a user's program are two programs.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/records/record.h"
#include "harness/records/results.h"

namespace aqbench {

// The files that ran as programs of the user in the records so far.
class GuestsSeen {
 public:
  // Throws Error(not_comparable) naming the first file of the guest that had another content in an earlier
  // case of the method. Names may differ from case to case, as the commands do.
  void require_same(const std::string& case_name, const std::string& method, const Guest& guest) const;

  // Does the same and remembers the guest of the record, if it has one. `where` is what the record is in, for
  // messages: "out/20260131T120000Z", or "".
  void add(const Record& record, const std::string& where = {});
  void add(const std::string& case_name, const std::string& method, const Guest& guest);

 private:
  struct Seen {
    std::string sha256, case_name;
  };
  std::map<std::pair<std::string, std::string>, Seen> files_;  // by method and name
};

// Throws Error(not_comparable) as GuestsSeen does for the records of one result.
void require_one_guest(const Results& results);

// Throws Error(not_comparable) if the program of a case, which was `before` when it began, is another one
// `now`.
void require_unchanged(const std::string& case_name, const Guest& before, const Guest& now);

}  // namespace aqbench
