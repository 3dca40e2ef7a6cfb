// Chains as tests see them that treat the GPU and its copies as one: CPU code, and requests in between.
//
// A request is what a job does from leaving the CPU until it needs the CPU again: a maximal run of copies and
// GPU work between CPU stages. Copies that can only take no time are not issued. A run that can only take no
// time is no request. A CPU stage of no length still stands between two requests.
#pragma once

#include "tactus/analysis/federated_tasks.hpp"

namespace tactus::analysis {

/// The chain with each request as one stage of the GPU: nothing but CPU stages and requests.
Stages with_requests(const Stages& stages);

/// All a job may need of one server.
Duration worst_time(const Stages& stages, Server server);

/// Requests that are issued.
std::int64_t count_requests(const Stages& requests);

/// The longest of them.
Duration longest_request(const Stages& requests);

/// The most copying that a job can do within one request.
Duration longest_copying(const Stages& stages);

}  // namespace tactus::analysis
