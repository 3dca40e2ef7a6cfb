// Whether mpirun started this process.
#pragma once

namespace tactus::sweep {

/// By what launchers put into the environment of the processes they start (Open MPI, PMIx, MPICH). Asking MPI
/// itself would mean to start it.
bool launched_by_mpirun();

}  // namespace tactus::sweep
