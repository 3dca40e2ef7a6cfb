// Chains for tests that treat the GPU and its copies as one device: CPU code with requests in between.
//
// A request is a maximal run of copies and
// GPU work between CPU stages. Copies that always take no time are not issued. A run that always takes no
// time is no request. A CPU stage of length 0 still separates two requests.
#pragma once

#include "tactus/analysis/federated_tasks.hpp"

namespace tactus::analysis {

/// The chain with each request as one stage of the GPU: nothing but CPU stages and requests.
Stages with_requests(const Stages& stages);

/// The worst-case time of a job on one server.
Duration worst_time(const Stages& stages, ServerKind server);

/// The number of requests issued.
std::int64_t count_requests(const Stages& requests);

/// The longest of them.
Duration longest_request(const Stages& requests);

/// The most copying that a job can do within one request.
Duration longest_copying(const Stages& stages);

}  // namespace tactus::analysis
