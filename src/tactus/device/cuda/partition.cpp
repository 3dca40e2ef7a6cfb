#include "tactus/device/cuda/partition.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "tactus/base/error.hpp"
#include "tactus/device/cuda/driver.hpp"
#include "tactus/device/cuda/error.hpp"

namespace tactus::cuda {

namespace {

CUdevice device_handle(int device) {
  // The driver API needs a context; this makes the runtime create one.
  check(cudaSetDevice(device), "cannot use the device");
  check(cudaFree(nullptr), "cannot use the device");
  CUdevice handle = 0;
  check(driver().device_get(&handle, device), "cannot use the device");
  return handle;
}

unsigned split_flags(Coscheduling coscheduling) {
  if (coscheduling == Coscheduling::kept) return 0;
  return CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING;
}

struct Split {
  std::vector<CUdevResource> groups;
  CUdevResource left_over{};
  int sms = 0;
};

/// Splits the device into as many groups of the smallest size as possible.
Split split_device(int device, Coscheduling coscheduling) {
  constexpr unsigned smallest = 1;  // the driver rounds up
  if (!driver().has_green_contexts()) {
    throw FailureError{"CUDA: the driver cannot split the SMs; it is older than CUDA 12.5"};
  }
  CUdevResource all{};
  check(driver().device_get_resource(device_handle(device), &all, CU_DEV_RESOURCE_TYPE_SM),
        "cannot read the SMs");
  unsigned count = 0;
  check(driver().split_sms(nullptr, &count, &all, nullptr, split_flags(coscheduling), smallest),
        "cannot ask for groups of SMs");
  Split split;
  split.sms = static_cast<int>(all.sm.smCount);
  split.groups.resize(count);
  check(driver().split_sms(split.groups.data(), &count, &all, &split.left_over, split_flags(coscheduling),
                           smallest),
        "cannot split the SMs");
  split.groups.resize(count);
  return split;
}

int group_size(const Split& split) {
  return split.groups.empty() ? 0 : static_cast<int>(split.groups.front().sm.smCount);
}

/// The number of groups for each requested size.
std::vector<std::size_t> groups_needed(const Split& split, std::span<const int> wanted) {
  const int group = group_size(split);
  std::vector<std::size_t> needed;
  for (const int sms : wanted) {
    if (sms < 1) throw InputError{"a partition has at least one SM, not " + std::to_string(sms)};
    if (sms > split.sms || group == 0) {
      throw InputError{"a partition of " + std::to_string(sms) + " SMs does not fit",
                       "the device has " + std::to_string(split.sms)};
    }
    needed.push_back(static_cast<std::size_t>((sms + group - 1) / group));
  }
  const auto sum = std::accumulate(needed.begin(), needed.end(), std::size_t{0});
  if (sum > split.groups.size()) {
    throw InputError{
        "the partitions need " + std::to_string(sum) + " groups of " + std::to_string(group) + " SMs",
        "the device has " + std::to_string(split.groups.size())};
  }
  return needed;
}

CUgreenCtx make_context(std::span<CUdevResource> groups, CUdevice device) {
  CUdevResourceDesc description = nullptr;
  check(driver().describe_resources(&description, groups.data(), static_cast<unsigned>(groups.size())),
        "cannot combine groups of SMs");
  CUgreenCtx context = nullptr;
  check(driver().green_context_create(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
        "cannot create a partition");
  return context;
}

}  // namespace

bool has_partitions(int device) {
  if (!driver().has_green_contexts()) return false;
  CUdevResource all{};
  return driver().device_get_resource(device_handle(device), &all, CU_DEV_RESOURCE_TYPE_SM) == CUDA_SUCCESS;
}

PartitionGranularity partition_granularity(int device, Coscheduling coscheduling) {
  const Split split = split_device(device, coscheduling);
  PartitionGranularity granularity;
  granularity.sms = split.sms;
  granularity.group = group_size(split);
  granularity.groups = static_cast<int>(split.groups.size());
  // The driver leaves this empty when no SMs are left over.
  if (split.left_over.type == CU_DEV_RESOURCE_TYPE_SM) {
    granularity.left_over = static_cast<int>(split.left_over.sm.smCount);
  }
  return granularity;
}

Stream Partition::make_stream(int priority) const {
  const PriorityRange range = stream_priorities();
  if (priority > range.least_urgent || priority < range.most_urgent) {
    throw InputError{"the device has no stream priority " + std::to_string(priority)};
  }
  CUstream stream = nullptr;
  check(driver().green_context_stream_create(&stream, static_cast<CUgreenCtx>(context_),
                                             CU_STREAM_NON_BLOCKING, priority),
        "cannot create a stream in a partition");
  return Stream{stream};
}

Partitions::Partitions(int device, std::span<const int> wanted, Coscheduling coscheduling, int around) {
  Split split = split_device(device, coscheduling);
  const std::vector<std::size_t> needed = groups_needed(split, wanted);
  const CUdevice handle = device_handle(device);
  const std::span groups{split.groups};
  std::size_t next = 0;
  for (const std::size_t count : needed) {
    add(make_context(groups.subspan(next, count), handle));
    next += count;
  }
  if (around == 0) return;
  const std::vector<int> sizes{around};
  add(make_context(groups.first(std::max(next, groups_needed(split, sizes).front())), handle));
}

void Partitions::add(void* context) {
  contexts_.emplace_back(context);
  CUdevResource resource{};
  check(driver().green_context_get_resource(static_cast<CUgreenCtx>(context), &resource,
                                            CU_DEV_RESOURCE_TYPE_SM),
        "cannot read the SMs of a partition");
  Partition part;
  part.context_ = context;
  part.sms_ = static_cast<int>(resource.sm.smCount);
  part.ids_ = find_sm_ids(part.make_stream().get(), part.sms_);
  parts_.push_back(part);
}

void Partitions::DestroyContext::operator()(void* context) const noexcept {
  static_cast<void>(driver().green_context_destroy(static_cast<CUgreenCtx>(context)));
}

}  // namespace tactus::cuda
