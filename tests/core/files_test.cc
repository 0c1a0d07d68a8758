#include "core/files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <iterator>
#include <thread>
#include <vector>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

std::size_t entries(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory), {}));
}

// Runs `body` in a child whose files cannot grow beyond `max_bytes`, as on a full disk. Returns whether it
// returned true.
bool in_child_with_file_limit(std::size_t max_bytes, const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);  // writing then fails with EFBIG
    const rlimit limit{max_bytes, max_bytes};
    ::_exit(::setrlimit(RLIMIT_FSIZE, &limit) == 0 && body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Files : testing::Test {
  const TemporaryDirectory directory;
};

TEST_F(Files, RoundTripOfAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(i);
  for (const std::string& content : {bytes, std::string(), std::string(1 << 20, 'x')}) {
    write_file(directory / "a", content);
    EXPECT_EQ(read_file(directory / "a"), content);
    EXPECT_EQ(regular_file_size(directory / "a"), content.size());
    EXPECT_EQ(entries(directory.path()), 1u) << "something was left beside it";
  }
}

TEST_F(Files, PartsMakeOneFileAndAFailureLeavesTheOldOne) {
  write_file_parts(directory / "a", [](const WriteBytes& write) {
    write("one ");
    write("");
    write("two");
  });
  EXPECT_EQ(read_file(directory / "a"), "one two");
  EXPECT_THROW(write_file_parts(directory / "a",
                                [](const WriteBytes& write) {
                                  write("half");
                                  throw Error(ErrorKind::input, "no more");
                                }),
               Error);
  EXPECT_EQ(read_file(directory / "a"), "one two");
  EXPECT_EQ(entries(directory.path()), 1u) << "something was left beside it";
}

TEST_F(Files, RelativePathWithoutDirectory) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  write_file("plain", "bytes");
  std::filesystem::current_path(before);
  EXPECT_EQ(read_file(directory / "plain"), "bytes");
}

TEST_F(Files, ReadErrorsNameTheProblem) {
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_file(directory / "no"); }),
              HasSubstr("/no: no such file"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_file(directory.path()); }),
              HasSubstr(": not a regular file"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_file("/dev/zero"); }),
              HasSubstr("/dev/zero: not a regular file"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_file(directory.file("a", "12345"), 4); }),
              HasSubstr("/a: 5 bytes, more than the 4 allowed"));
  EXPECT_EQ(read_file(directory.file("a", "1234"), 4), "1234");
}

TEST_F(Files, FailedWriteLeavesTheOldFileAlone) {
  const auto path = directory / "a";
  write_file(path, "old");
  const bool reported = in_child_with_file_limit(1000, [&] {
    return error_of(ErrorKind::io, [&] { write_file(path, std::string(5000, 'n')); }) ==
           path.string() + ": File too large";
  });
  EXPECT_TRUE(reported);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries(directory.path()), 1u) << "a half file was left";
}

TEST_F(Files, FullDiskIsOneClearLine) {
  EXPECT_EQ(error_of(ErrorKind::io, [] { write_file("/dev/full", "bytes"); }),
            "/dev/full: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "the device was replaced";
}

TEST_F(Files, MissingDirectoryIsAnError) {
  EXPECT_THAT(error_of(ErrorKind::io, [&] { write_file(directory / "no/a", "bytes"); }),
              HasSubstr("/no/a: No such file or directory"));
  std::filesystem::create_directory(directory / "taken");
  EXPECT_THAT(error_of(ErrorKind::io, [&] { write_file(directory / "taken", "bytes"); }),
              HasSubstr("/taken: Is a directory"));
  EXPECT_EQ(entries(directory.path()), 1u);
}

TEST_F(Files, LinksStayLinks) {
  write_file(directory / "target", "old");
  std::filesystem::create_symlink("target", directory / "link");
  write_file(directory / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_EQ(read_file(directory / "target"), "new");
}

TEST_F(Files, APlantedNameIsNotUsed) {
  // All names that an earlier version would have used.
  const auto victim = directory.file("victim", "mine");
  for (int number = 0; number < 200; ++number)
    std::filesystem::create_symlink(victim, directory / fmt::format("a.tmp{}.{}", ::getpid(), number));
  write_file(directory / "a", "new");
  EXPECT_EQ(read_file(directory / "a"), "new");
  EXPECT_EQ(read_file(victim), "mine");
  EXPECT_EQ(entries(directory.path()), 202u);
}

TEST_F(Files, ReadersSeeOneVersionOrTheOther) {
  const std::string versions[] = {std::string(20000, 'a'), std::string(30000, 'b')};
  write_file(directory / "a", versions[0]);
  std::vector<std::jthread> writers;
  for (const std::string& version : versions)
    writers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) write_file(directory / "a", version);
    });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = read_file(directory / "a");
    ASSERT_TRUE(seen == versions[0] || seen == versions[1]) << seen.size();
  }
  writers.clear();
  EXPECT_EQ(entries(directory.path()), 1u);
}

TEST_F(Files, ErrorsKnowTheirFile) {
  const auto absent = directory / "absent";
  try {
    read_file(absent);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.file(), absent.string());
    EXPECT_EQ(error.problem(), "no such file");
  }
}

TEST(EntriesOf, AreInOrderAndNoneWhereThereIsNoFolder) {
  const TemporaryDirectory folder;
  for (const char* const name : {"b", ".a", "c"}) write_file(folder.path() / name, "");
  EXPECT_THAT(entries_of(folder.path()),
              testing::ElementsAre(folder.path() / ".a", folder.path() / "b", folder.path() / "c"));
  EXPECT_THAT(entries_of(folder.path() / "b"), testing::IsEmpty());
  EXPECT_THAT(entries_of(folder.path() / "missing"), testing::IsEmpty());
}

TEST(RemoveWriteLeftovers, TakesNothingElse) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "in");
  for (const char* name : {"a.json.tmp17.0", "in/b.tmp1.22", "in/c.tmp00000000000000000017", "keep.tmp",
                           "keep.tmpx", "keep.tmp.1", "keep.json"})
    directory.file(name, "x");
  std::filesystem::create_symlink("keep.json", directory / "link.tmp1.1");
  remove_write_leftovers(directory.path());
  EXPECT_FALSE(std::filesystem::exists(directory / "a.json.tmp17.0"));
  EXPECT_FALSE(std::filesystem::exists(directory / "in/b.tmp1.22"));
  EXPECT_FALSE(std::filesystem::exists(directory / "in/c.tmp00000000000000000017"));
  EXPECT_EQ(entries(directory.path()), 6u);
  remove_write_leftovers(directory / "absent");
}

TEST(OpenLocked, OneProcessAtATimeAddsLines) {
  const TemporaryDirectory directory;
  const auto path = directory.file("lines", "1\n");
  {
    const Descriptor held(open_locked(path));
    EXPECT_EQ(write_all(held.get(), "2\n"), 0);
    EXPECT_EQ(error_of(ErrorKind::io, [&] { open_locked(path); }),
              path.string() + ": another process is writing to it");
  }
  const Descriptor again(open_locked(path));
  EXPECT_EQ(write_all(again.get(), "3\n"), 0);
  EXPECT_EQ(read_file(path), "1\n2\n3\n");
  EXPECT_EQ(error_of(ErrorKind::io, [&] { open_locked(directory / "absent"); }),
            (directory / "absent").string() + ": No such file or directory");
  EXPECT_NE(write_all(-1, "x"), 0);
}

TEST(FileLock, SharedOnesExcludeTheExclusive) {
  const TemporaryDirectory directory;
  const auto path = directory / "lock";
  {
    const FileLock reader = FileLock::wait(path, LockMode::shared);
    EXPECT_TRUE(FileLock::attempt(path, LockMode::shared).has_value());
    EXPECT_FALSE(FileLock::attempt(path, LockMode::exclusive).has_value());
  }
  const auto writer = FileLock::attempt(path, LockMode::exclusive);
  ASSERT_TRUE(writer.has_value());
  EXPECT_FALSE(FileLock::attempt(path, LockMode::shared).has_value());
  std::filesystem::remove(path);  // as its holder may; the next one locks a new file
  EXPECT_TRUE(FileLock::attempt(path, LockMode::exclusive).has_value());
  std::filesystem::create_symlink(directory / "elsewhere", directory / "planted");
  EXPECT_THAT(error_of(ErrorKind::io, [&] { FileLock::wait(directory / "planted", LockMode::shared); }),
              HasSubstr("/planted: cannot lock"));
  EXPECT_FALSE(std::filesystem::exists(directory / "elsewhere"));
  EXPECT_THAT(error_of(ErrorKind::io, [&] { FileLock::wait(directory / "no" / "lock", LockMode::shared); }),
              HasSubstr("cannot lock: No such file or directory"));
}

}  // namespace
}  // namespace aqbench
