#include "tactus/device/cuda/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "device/cuda/gpu_test.hpp"
#include "device/cuda/test_kernels.hpp"
#include "tactus/base/error.hpp"

namespace tactus::cuda {
namespace {

class CudaPartition : public GpuTest {};

TEST_F(CudaPartition, GroupsAndTheRestAreTheWholeDevice) {
  for (const Coscheduling coscheduling : {Coscheduling::kept, Coscheduling::ignored}) {
    const PartitionGranularity sizes = partition_granularity(0, coscheduling);
    EXPECT_EQ(sizes.sms, static_cast<int>(sms));
    EXPECT_GE(sizes.group, 1);
    EXPECT_EQ(sizes.group * sizes.groups + sizes.left_over, sizes.sms);
  }
  EXPECT_LE(partition_granularity(0, Coscheduling::ignored).group,
            partition_granularity(0, Coscheduling::kept).group);
}

TEST_F(CudaPartition, PartsAreDisjointAndLargeEnough) {
  for (const Coscheduling coscheduling : {Coscheduling::kept, Coscheduling::ignored}) {
    const int group = partition_granularity(0, coscheduling).group;
    const std::vector<int> wanted{group, 1, 3 * group - 1, 2 * group};
    const Partitions partitions{0, wanted, coscheduling};
    ASSERT_EQ(partitions.size(), wanted.size());
    std::vector<int> owner(SmSet::capacity, -1);
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      EXPECT_GE(partitions[i].sms(), wanted[i]);
      EXPECT_EQ(partitions[i].ids().size(), partitions[i].sms());
      for (const unsigned sm : partitions[i].ids().ids()) {
        EXPECT_EQ(owner[sm], -1) << "SM " << sm << " is in two partitions";
        owner[sm] = static_cast<int>(i);
      }
    }
  }
}

TEST_F(CudaPartition, APartAroundTheOthersHoldsThemAll) {
  for (const int around : {4, 32}) {  // too small for the others, and larger
    const std::vector<int> wanted{8, 16};
    const Partitions partitions{0, wanted, Coscheduling::ignored, around};
    ASSERT_EQ(partitions.size(), 3U);
    const Partition& all = partitions[2];
    EXPECT_EQ(all.sms(), std::max(around, partitions[0].sms() + partitions[1].sms()));
    EXPECT_EQ(all.ids().size(), all.sms());
    for (const std::size_t part : {0U, 1U}) {
      for (const unsigned sm : partitions[part].ids().ids()) EXPECT_TRUE(all.ids().contains(sm)) << sm;
    }
  }
}

TEST_F(CudaPartition, KernelsStayInTheirPart) {
  const std::vector<int> wanted{8, 24};
  const Partitions partitions{0, wanted};
  constexpr unsigned blocks = 4000;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const Stream stream = partitions[i].make_stream(stream_priorities().most_urgent);
    const DeviceBuffer<unsigned> counts{blocks};
    const DeviceBuffer<unsigned> places{blocks};
    const DeviceBuffer<unsigned> disagreements{1};
    CountedLaunch launch{.threads = 1024, .stay_ns = 500, .counts = counts.data(), .sms = places.data()};
    launch.disagreements = disagreements.data();
    launch_counted(launch, dim3{blocks}, stream.get());
    stream.synchronize();
    for (const unsigned sm : read_back(places)) ASSERT_TRUE(partitions[i].ids().contains(sm)) << "SM " << sm;
  }
}

TEST_F(CudaPartition, MoreThanThereIsIsRefused) {
  const int all = static_cast<int>(sms);
  EXPECT_THROW((Partitions{0, std::vector<int>{all + 1}}), InputError);
  EXPECT_THROW((Partitions{0, std::vector<int>{all, 1}}), InputError);
  EXPECT_THROW((Partitions{0, std::vector<int>{0}}), InputError);
}

}  // namespace
}  // namespace tactus::cuda
