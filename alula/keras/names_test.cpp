#include "alula/keras/names.h"

#include "alula/keras/words.h"
#include "alula/testing/harness.h"

using namespace alula;
using namespace alula::keras;

namespace {

class Conv2DImpl {};
class MyModel {};
class Impl {};

}  // namespace

TEST(Names, AreThoseOfClasses) {
  EXPECT_EQ(class_name_of(typeid(Conv2DImpl)), "Conv2D");
  EXPECT_EQ(class_name_of(typeid(MyModel)), "MyModel");
  EXPECT_EQ(class_name_of(typeid(Impl)), "Impl");
  EXPECT_EQ(class_name_of(typeid(alula::InvalidArgumentError)), "InvalidArgumentError");
}

TEST(Names, StartAgainInANewSession) {
  backend::clear_session();
  EXPECT_EQ(unique_name("thing"), "thing");
  EXPECT_EQ(unique_name("thing"), "thing_1");
  backend::clear_session();
  EXPECT_EQ(unique_name("thing"), "thing");
}
