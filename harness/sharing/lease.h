#pragma once
// Leases: which of several processes, on one machine or on several that share a folder, works on which item.
//
// A lease is a file ITEM.GENERATION in the folder, created with O_EXCL (which NFS honours since version 3)
// and flushed to the disk. Its holder increments a number in it. A lease whose number does not change for
// `lease_s`, by the clock of the watching process, is stale; clocks of different machines are never compared.
// It is taken over by creating the file of the next generation, which only one process can. A returned lease
// is marked in its file and taken over at once; the file stays, so that no two holders ever have the same.
//
// A holder stopped for longer than its lease may continue afterwards: two processes on one item do no harm,
// because a result is published once (shared_results.h).

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace aqbench {

// A process that can hold leases.
struct LeaseHolder {
  std::string host;
  std::string boot_id;        // of the host's running kernel; process ids are only valid within one boot
  std::string pid_namespace;  // of the process id; "" if /proc does not show it
  std::int64_t process = 0;   // its id
  std::uint64_t started = 0;  // clock ticks after boot; ids are reused
};

// Returns this process.
LeaseHolder this_process();

// Reads the holder from a lease file. Returns nullopt for a file that is gone or being written.
std::optional<LeaseHolder> read_lease_holder(const std::filesystem::path& file);

// Returns whether the holder is a process of this PID namespace that no longer runs; false if unknown, as for
// every other namespace.
bool is_known_dead(const LeaseHolder& holder);

// The right to work on one item, until it is given back.
class Lease {
 public:
  // Increments the number in the file if a quarter of the lease has passed since the last time. Throws
  // Error(io).
  void renew_if_due();

  // Writes into the file that the item is free. A lease that another one has taken over stays with that one.
  void give_back() const;

  std::size_t item() const { return item_; }
  int generation() const { return generation_; }

 private:
  friend class LeaseTable;
  Lease(std::filesystem::path folder, std::size_t item, int generation, double lease_s);
  std::filesystem::path file() const;
  void write(int descriptor) const;

  std::filesystem::path folder_;
  std::size_t item_;
  int generation_;
  double lease_s_;
  std::uint64_t beat_ = 0;
  std::chrono::steady_clock::time_point written_;
};

// The leases of a folder as seen by one process.
class LeaseTable {
 public:
  // `folder` must exist. Throws Error(usage) for a lease that is not positive.
  LeaseTable(std::filesystem::path folder, double lease_s);

  // Takes the lease of an item if it is free, or if its holder is dead or silent for the length of a lease.
  // Returns nullopt if it is held. Throws Error(io).
  std::optional<Lease> attempt(std::size_t item);

 private:
  struct Seen {
    int generation = 0;
    std::string text;  // last content of the file
    std::chrono::steady_clock::time_point since;
  };
  bool is_stale(std::size_t item, int generation);

  std::filesystem::path folder_;
  double lease_s_;
  std::map<std::size_t, Seen> seen_;
};

}  // namespace aqbench
