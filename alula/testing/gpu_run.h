#pragma once

/// A run of tests on the GPU, of which each says how many kernels it ran there. The environment
/// asks for it:
///
///   ALULA_TEST_GPU=all     tests that run on every device run on the GPU, too
///   ALULA_TEST_GPU=scope   and each test's ops run there unless the test says where:
///   device("/GPU:0") ALULA_GPU_REPORT=FILE  what ran where, as JSON
namespace alula::testing {

/// The exit status of a program that has nothing to run its tests on; ctest shows it as skipped.
inline constexpr int kSkipped = 77;

/// Begins such a run if it is asked for. Returns 0, or kSkipped where there is no GPU.
int begin_gpu_run();
/// The exit status in the end: a run that was to be on the GPU and had no kernel there has failed.
int end_gpu_run(int status);

}  // namespace alula::testing
