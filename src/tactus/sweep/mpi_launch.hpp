// Whether mpirun started this process.
#pragma once

namespace tactus::sweep {

/// By environment variables that launchers set (Open MPI, PMIx, MPICH). Asking MPI
/// itself would initialise it.
bool launched_by_mpirun();

}  // namespace tactus::sweep
