#include "alula/runtime/plugin.h"

#include <cstdlib>
#include <fstream>

#include "alula/runtime/backend.h"
#include "alula/testing/harness.h"

using namespace alula;

namespace {

/// The library that the plugin stands beside: it loads, but it is no plugin.
std::filesystem::path library() {
  unsetenv("ALULA_PLUGIN");
  return plugin::file().replace_filename("libalula.so");
}

}  // namespace

TEST(Plugin, StandsBesideTheLibraryUnlessNamed) {
  EXPECT_TRUE(std::filesystem::exists(library()));
  EXPECT_EQ(plugin::file().filename(), "libalula_cuda.so");
  setenv("ALULA_PLUGIN", "/elsewhere/mine.so", 1);
  EXPECT_EQ(plugin::file(), "/elsewhere/mine.so");
  unsetenv("ALULA_PLUGIN");
}

TEST(Plugin, SaysThatItIsMissing) {
  EXPECT_EQ(plugin::load("/elsewhere/mine.so"), "the GPU plugin /elsewhere/mine.so is missing");
}

TEST(Plugin, SaysWhyItDoesNotLoad) {
  const std::string path = ::testing::TempDir() + "alula_no_library.so";
  std::ofstream(path) << "not a library\n";
  const std::string reason = plugin::load(path);
  EXPECT_NE(reason.find("the GPU plugin does not load (" + path), std::string::npos) << reason;
  std::filesystem::remove(path);
}

TEST(Plugin, SaysThatALibraryIsNone) {
  EXPECT_EQ(plugin::load(library()), library().string() + " is not an Alula plugin");
}

TEST(Plugin, TheReasonStaysTheSame) {
  EXPECT_EQ(plugin::load_once(), plugin::reason().empty());
  EXPECT_EQ(plugin::load_once(), plugin::reason().empty());
}

TEST(Plugin, IsComparedByVersionAndCompiler) {
  EXPECT_EQ(plugin::build_id().backend_version, kBackendVersion);
  EXPECT_NE(std::string(plugin::build_id().text).find(ALULA_VERSION), std::string::npos);
}
