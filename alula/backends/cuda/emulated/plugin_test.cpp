// Plugins that cannot be used: one clear line, and the CPU does the work.
#include "alula/runtime/plugin.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

#include "alula/ops/add.h"
#include "alula/runtime/devices.h"
#include "alula/testing/harness.h"

using namespace alula;

namespace {

/// A plugin that needs a library which is not there, as where CUDA's are not installed.
std::filesystem::path plugin_without_its_library() {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / fmt::format("alula_plugin_{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "blas.cpp") << "extern \"C\" int blas() { return 1; }\n";
  std::ofstream(folder / "plugin.cpp")
      << "extern \"C\" int blas();\nextern \"C\" const char* alula_plugin() {"
         " return blas() ? \"\" : nullptr; }\n";
  const std::string command = fmt::format(
      "cd {} && {} -shared -fPIC blas.cpp -o libcublas_missing.so.13 && {} -shared -fPIC "
      "plugin.cpp ./libcublas_missing.so.13 -o plugin.so && rm libcublas_missing.so.13",
      folder.string(), ALULA_CXX_COMPILER, ALULA_CXX_COMPILER);
  EXPECT_EQ(std::system(command.c_str()), 0);
  return folder / "plugin.so";
}

/// Uses a GPU whose plugin is this one, in a process of its own, and ends it.
[[noreturn]] void use_gpu_with(const std::filesystem::path& plugin) {
  setenv("ALULA_PLUGIN", plugin.c_str(), 1);
  const auto scope = device("/GPU:0");
  const Tensor sum = add(Tensor{1.f}, Tensor{2.f});
  std::exit(sum.device() == kCPU && sum.to_vector<float>()[0] == 3 ? 0 : 1);
}

}  // namespace

TEST(PluginThatCannotBeUsed, OfAnotherBuild) {
  void* library = dlopen(ALULA_EMULATED_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto entry = reinterpret_cast<plugin::Entry>(dlsym(library, "alula_plugin"));
  ASSERT_NE(entry, nullptr);
  for (const plugin::BuildId& other :
       {plugin::BuildId{kBackendVersion + 1, plugin::build_id().text},
        plugin::BuildId{kBackendVersion, "0.0.0 another compiler"}}) {
    const char* problem = entry(other);
    ASSERT_NE(problem, nullptr);
    EXPECT_NE(std::string(problem).find("was built for another Alula (plugin: "), std::string::npos)
        << problem;
    EXPECT_NE(std::string(problem).find(other.text), std::string::npos) << problem;
    EXPECT_EQ(std::string(problem).find('\n'), std::string::npos) << problem;
  }
}

TEST(PluginThatCannotBeUsed, WithoutALibraryOfCuda) {
  const std::string problem = plugin::load(plugin_without_its_library());
  EXPECT_NE(problem.find("the GPU plugin does not load ("), std::string::npos) << problem;
  EXPECT_NE(problem.find("libcublas_missing.so.13: cannot open"), std::string::npos) << problem;
}

TEST(PluginThatCannotBeUsedDeathTest, IsSaidOnceAndTheCpuIsUsed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::filesystem::path plugin = plugin_without_its_library();
  EXPECT_EXIT(use_gpu_with(plugin), ::testing::ExitedWithCode(0),
              "/GPU:0 was asked for, but there is no usable one: the GPU plugin does not load "
              "\\(.*libcublas_missing.so.13.*Running on /CPU:0");
}
