// Planning: virtual SMs, priorities, reservations and cores with which a system is proven to hold.
//
//   const tactus::plan::Plan plan = tactus::plan::plan(tactus::load("robot.yaml",
//   tactus::Completeness::to_be_planned)); if (plan.found) tactus::save(plan.planned, "planned.yaml");
//
// `compare` tries the same tasks under every strategy and order; `find_hints` says which single changes make
// a system hold. See docs/planning.md.
#pragma once

#include "tactus/plan/compare.hpp"
#include "tactus/plan/hints.hpp"
#include "tactus/plan/plan.hpp"
