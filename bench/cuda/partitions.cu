// Sizes of partitions, the time to create them, and their SMs.
#include <string>
#include <vector>

#include "probe.hpp"
#include "tactus/device/cuda/partition.hpp"

namespace tactus::probe {

namespace {

using cuda::Coscheduling;

std::string ids_text(const cuda::SmSet& set) {
  std::string text;
  for (const unsigned sm : set.ids()) text += (text.empty() ? "" : " ") + std::to_string(sm);
  return text;
}

void measure(const char* name, Coscheduling coscheduling) {
  const cuda::PartitionGranularity sizes = cuda::partition_granularity(0, coscheduling);
  print_text("partition", std::string{name} + ": granularity",
             std::to_string(sizes.groups) + " groups of " + std::to_string(sizes.group) + " SMs and " +
                 std::to_string(sizes.left_over) + " left of " + std::to_string(sizes.sms));
  const std::vector<int> wanted{16, 8, 40, 24};
  const double begin = now_us();
  const cuda::Partitions partitions{0, wanted, coscheduling};
  print_value("partition", std::string{name} + ": making four of 16, 8, 40, 24 SMs", now_us() - begin, "us");
  std::vector<unsigned> uses(cuda::SmSet::capacity);
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    print_text("partition",
               std::string{name} + ": wanted " + std::to_string(wanted[i]) + ", got " +
                   std::to_string(partitions[i].sms()),
               ids_text(partitions[i].ids()));
    for (const unsigned sm : partitions[i].ids().ids()) ++uses[sm];
  }
  int shared = 0;
  for (const unsigned count : uses) shared += count > 1 ? 1 : 0;
  print_value("partition", std::string{name} + ": SMs in more than one", shared, "SMs");
}

}  // namespace

void measure_partitions() {
  measure("coscheduling kept", Coscheduling::kept);
  measure("coscheduling ignored", Coscheduling::ignored);
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) {
    const std::vector<int> wanted{16};
    const double begin = now_us();
    const cuda::Partitions partitions{0, wanted};
    times.push_back(now_us() - begin);
  }
  print_samples("partition", "making one of 16 SMs", times);
}

}  // namespace tactus::probe
