#include "tactus/base/temporary_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

namespace tactus {

namespace {

constexpr std::string_view mark = ".tactus-";
constexpr std::string_view ending = ".tmp";
constexpr std::size_t random_digits = 12;
constexpr std::size_t longest_name = 255;  // of the usual file systems

constexpr std::size_t max_entries = 64;
std::array<std::atomic<const char*>, max_entries> entries{};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads them");

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hexadecimal(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

std::string_view cut(std::string_view name, std::size_t most) { return name.substr(0, most); }

}  // namespace

std::string temporary_name(std::string_view name) {
  std::random_device random;
  const std::uint64_t number = (std::uint64_t{random()} << 32U | random()) & 0xffff'ffff'ffffU;
  const std::string end = fmt::format("{}{}-{:0{}x}{}", mark, ::getpid(), number, random_digits, ending);
  return fmt::format("{}{}", cut(name, longest_name - end.size()), end);
}

bool is_temporary_name(std::string_view name, std::string_view of) {
  if (!name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  if (name.size() <= random_digits) return false;
  const std::string_view number = name.substr(name.size() - random_digits);
  name.remove_suffix(random_digits);
  if (!std::all_of(number.begin(), number.end(), is_hexadecimal) || !name.ends_with('-')) return false;
  name.remove_suffix(1);
  const std::string_view before = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (before.size() == name.size() || !before.ends_with(mark)) return false;
  const std::string_view stem = before.substr(0, before.size() - mark.size());
  const bool was_cut =
      before.size() + (name.size() - before.size()) + 1 + random_digits + ending.size() == longest_name;
  return stem == of || (was_cut && of.starts_with(stem));
}

TemporaryEntry::TemporaryEntry(const std::filesystem::path& path)
    : path_{std::make_unique<std::string>(path.string())} {
  for (std::atomic<const char*>& place : entries) {
    const char* nobody = nullptr;
    if (!place.compare_exchange_strong(nobody, path_->c_str())) continue;
    place_ = &place;
    return;
  }
}

TemporaryEntry::~TemporaryEntry() {
  if (place_ == nullptr) return;
  const char* mine = path_->c_str();
  if (place_->compare_exchange_strong(mine, nullptr)) return;
  // A signal handler in another thread may still read it, so it is kept until the process ends.
  static std::mutex mutex;
  static std::vector<std::unique_ptr<std::string>> taken;
  const std::scoped_lock lock{mutex};
  taken.push_back(std::move(path_));
}

void remove_temporary_files() noexcept {
  const int error = errno;
  for (std::atomic<const char*>& place : entries) {
    const char* path = place.exchange(nullptr);
    if (path != nullptr) ::unlink(path);
  }
  errno = error;
}

}  // namespace tactus
