#include "metrics/protocols/pose_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Pair = std::pair<std::size_t, std::size_t>;

class TrajectoryFile : public testing::Test {
 protected:
  Trajectory read(const std::string& text) const {
    return read_trajectory(directory_.file("poses.csv", text));
  }
  std::string problem(const std::string& text) const {
    const auto path = directory_.file("poses.csv", text);
    return error_of(ErrorKind::input, [&] { read_trajectory(path); });
  }
  TemporaryDirectory directory_;
};

// A quarter turn about z, as quaternion and as matrix.
Eigen::Matrix3d quarter_turn() {
  Eigen::Matrix3d turn;
  turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  return turn;
}

TEST_F(TrajectoryFile, EurocIsReadByItsHeaderAndByItsColumns) {
  const std::string header =
      "#timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z []";
  const std::string pose = "1403636580838555648,4.5,-1.75,0.75,0.7071067811865476,0,0,0.7071067811865476",
                    rest = ",0,0,0,0,0,0,0,0,0";
  for (const std::string& text :
       {header + "\n" + pose + "\n", header + ", v_RS_R_x [m s^-1]\n" + pose + ",1\n", pose + rest + "\n",
        "#timestamp\n" + pose + rest + "\n"}) {
    const Trajectory read_poses = read(text);
    ASSERT_EQ(read_poses.poses.size(), 1U) << text;
    EXPECT_NEAR(read_poses.stamps_s[0], 1403636580.838555648, 1e-6) << text;
    EXPECT_EQ(read_poses.poses[0].position_m, Vec3(4.5, -1.75, 0.75));
    EXPECT_LT((read_poses.poses[0].rotation - quarter_turn()).norm(), 1e-12) << text;
  }
  EXPECT_THAT(problem(pose + "\n"), HasSubstr("no line says whether QW is first"));
}

TEST_F(TrajectoryFile, ColumnsAreTakenByTheirNames) {
  const double half = std::sqrt(0.5);
  const std::string s = std::to_string(half);
  for (const std::string& text :
       {"# ground truth\n# timestamp tx ty tz qx qy qz qw\n2 1 2 3 0 0 " + s + " " + s + "\n",
        "2 1 2 3 0 0 " + s + " " + s + "\n", "# time tx ty tz qw qx qy qz\n2 1 2 3 " + s + " 0 0 " + s + "\n",
        "x,y,z,qw,qx,qy,qz,time,score\n1,2,3," + s + ",0,0," + s + ",2,9\n"}) {
    const Trajectory read_poses = read(text);
    EXPECT_EQ(read_poses.stamps_s[0], 2) << text;
    EXPECT_EQ(read_poses.poses[0].position_m, Vec3(1, 2, 3)) << text;
    EXPECT_LT((read_poses.poses[0].rotation - quarter_turn()).norm(), 1e-6) << text;
  }
  for (const char* const names : {"# ts px py pz qw qx qy qz", "# sec p_x p_y p_z rot_w rot_x rot_y rot_z",
                                  "# timestamp_s p_x p_y p_z o_w o_x o_y o_z"})
    EXPECT_LT(
        (read(std::string(names) + "\n2 1 2 3 " + s + " 0 0 " + s + "\n").poses[0].rotation - quarter_turn())
            .norm(),
        1e-6)
        << names;
  EXPECT_THAT(problem("# timestamp x y z w x y z\n2 1 2 3 1 0 0 0\n"),
              HasSubstr("names the w of a quaternion"));
  EXPECT_THAT(problem("# time tx ty tz qw qx qy qz status\n2 1 2 3 1 0 0 0\n"),
              HasSubstr("line 2: pose: 8 numbers, but 9 columns are named"));
}

TEST_F(TrajectoryFile, EqualTimesAreRefusedWithTheTime) {
  EXPECT_THAT(problem("1 0 0 0 0 0 0 1\n2.5 0 0 0 0 0 0 1\n2.5 1 0 0 0 0 0 1\n"),
              HasSubstr("line 3: pose: its time 2.5 is that of the pose before"));
}

// kitti-odom-eval leaves frames out: what has no numbers of frames has all of them.
TEST_F(TrajectoryFile, KittisLinesMayBeginWithTheNumberOfTheFrame) {
  const std::string pose = " 0 -1 0 4 1 0 0 5 0 0 1 6\n";
  const Trajectory all = read(pose + pose + pose + pose), some = read("1" + pose + "3" + pose);
  EXPECT_EQ(some.poses[1].position_m, Vec3(4, 5, 6));
  EXPECT_EQ(some.poses[1].rotation, quarter_turn());
  EXPECT_THAT(pair_poses(all, some, 0.01), ElementsAre(Pair(1, 0), Pair(3, 1)));
  EXPECT_THAT(pair_poses(some, all, 0.01), ElementsAre(Pair(0, 1), Pair(1, 3)));
  EXPECT_THAT(problem("1" + pose + "1.5" + pose), HasSubstr("line 2: pose: '1.5' is no number of a frame"));
  EXPECT_THAT(problem("1" + pose + "1" + pose),
              HasSubstr("line 2: pose: its time 1 is that of the pose before"));
}

Trajectory at_times(const std::vector<double>& stamps_s) {
  return {stamps_s, std::vector<CameraPose>(stamps_s.size())};
}

// evo pairs 0.9 and 1.1 both with 1; here 1 has one partner, the nearer one.
TEST(PairPoses, OneToOne) {
  const Trajectory few = at_times({0.9, 1.05, 3}), many = at_times({1, 2, 3.02, 4});
  EXPECT_THAT(pair_poses(many, few, 0.2), ElementsAre(Pair(0, 1), Pair(2, 2)));
  EXPECT_THAT(pair_poses(few, many, 0.2), ElementsAre(Pair(1, 0), Pair(2, 2)));
  const Trajectory halfway = at_times({1.5});
  EXPECT_THAT(pair_poses(many, halfway, 1), ElementsAre(Pair(0, 0))) << "of equally near ones the earlier";
  EXPECT_THAT(pair_poses(many, at_times({0, 9}), 5), ElementsAre(Pair(0, 0), Pair(3, 1)));
}

}  // namespace
}  // namespace aqbench
