# What `tactus sweep` may use: MPI, to share work over several processes. Everything else builds without it.
option(TACTUS_SWEEP "Build what `tactus sweep` runs" ON)
set(TACTUS_MPI AUTO CACHE STRING "Let `tactus sweep` share work over mpirun (needs MPI): ON, OFF or AUTO")
set_property(CACHE TACTUS_MPI PROPERTY STRINGS AUTO ON OFF)

set(tactus_has_mpi OFF)
if(TACTUS_SWEEP AND TACTUS_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # the old C++ bindings
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(tactus_has_mpi ON)
  elseif(TACTUS_MPI STREQUAL AUTO)
    message(STATUS "MPI not found (packages libopenmpi-dev, openmpi-bin): `tactus sweep` runs without mpirun")
  else()
    message(FATAL_ERROR "TACTUS_MPI is ${TACTUS_MPI}, but MPI was not found (packages libopenmpi-dev, openmpi-bin)")
  endif()
endif()
