// Ranks by MPI. Only the calling thread calls MPI.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iterator>
#include <thread>

#include "tactus/sweep/mpi_launch.hpp"
#include "tactus/sweep/ranks.hpp"

namespace tactus::sweep {

namespace {

/// MPI waits busily, so messages are polled at this interval instead.
constexpr std::chrono::milliseconds between_looks{1};

/// Where a rank runs.
struct RankHost {
  std::array<char, 256> host{};
  pid_t process = 0;
};

}  // namespace

class Ranks::World {
 public:
  World() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    RankHost here;
    ::gethostname(here.host.data(), here.host.size() - 1);
    here.process = ::getpid();
    places_.resize(static_cast<std::size_t>(count_));
    MPI_Allgather(&here, sizeof here, MPI_BYTE, places_.data(), sizeof here, MPI_BYTE, MPI_COMM_WORLD);
    // All ranks are alive now: a process that cannot be seen is in another namespace, such as a container.
    for (int other = 0; other < count_; ++other) {
      if (is_here(other) && is_alive(other)) watched_.push_back(other);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  ~World() {
    // If a rank has died, the others cannot finalise together; mpirun ends them.
    if (!dead().empty()) return;
    if (rank_ == 0) {
      for (int other = 1; other < count_; ++other) send(other, {});
      // Receives all messages, so that no rank blocks in a send.
      int left = count_ - 1;
      while (left > 0) {
        const std::optional<Message> message = receive();
        if (message && message->text.empty()) --left;
        if (message) continue;
        if (!dead().empty()) return;
        std::this_thread::sleep_for(between_looks);
      }
    } else {
      send(0, {});
    }
    MPI_Finalize();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int count() const { return count_; }

  [[nodiscard]] bool is_here(int rank) const { return place(rank).host == place(rank_).host; }

  [[nodiscard]] std::vector<int> dead() const {
    std::vector<int> all;
    std::copy_if(watched_.begin(), watched_.end(), std::back_inserter(all),
                 [&](int other) { return !is_alive(other); });
    return all;
  }

  void send(int rank, const std::string& text) {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, rank, 0, MPI_COMM_WORLD);
  }

  std::optional<Message> receive() {
    int is_there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status);
    if (is_there == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_CHAR, &size);
    Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), ' ')};
    MPI_Recv(message.text.data(), size, MPI_CHAR, message.from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

  Message wait() {
    while (true) {
      if (std::optional<Message> message = receive()) return *std::move(message);
      std::this_thread::sleep_for(between_looks);
    }
  }

 private:
  [[nodiscard]] const RankHost& place(int rank) const { return places_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] bool is_alive(int rank) const {
    return ::kill(place(rank).process, 0) == 0 || errno != ESRCH;
  }

  int rank_ = 0;
  int count_ = 1;
  std::vector<RankHost> places_;
  std::vector<int> watched_;  // ranks on this machine
};

Ranks::Ranks() {
  if (launched_by_mpirun()) world_ = std::make_unique<World>();
}

Ranks::~Ranks() = default;

int Ranks::rank() const { return world_ ? world_->rank() : 0; }

int Ranks::count() const { return world_ ? world_->count() : 1; }

unsigned Ranks::neighbours() const {
  unsigned number = 0;
  for (int other = 0; other < count(); ++other) {
    if (other != rank() && world_->is_here(other)) ++number;
  }
  return number;
}

std::vector<int> Ranks::dead() const { return world_ ? world_->dead() : std::vector<int>{}; }

void Ranks::send(int rank, const std::string& text) {
  if (world_) world_->send(rank, text);
}

std::optional<Ranks::Message> Ranks::receive() { return world_ ? world_->receive() : std::nullopt; }

Ranks::Message Ranks::wait() { return world_ ? world_->wait() : Message{}; }

}  // namespace tactus::sweep
