#include "alula/keras/table.h"

#include <gtest/gtest.h>

using namespace alula::keras;

namespace {

TEST(Table, WrapsCutsAndAligns) {
  using enum Column::Align;
  EXPECT_EQ(table_text({{"Name", 10, kLeft}, {"Number #", 7, kRight}, {"Is", 5, kCenter}},
                       {{"one (First)", "1,024", "Y"},
                        {"a_long_name (S)", "7", "-"},
                        {"   └ in (x)", "", "éé"}}),
            "┏━━━━━━━━━━┳━━━━━━━┳━━━━━┓\n"
            "┃ Name     ┃ Numb… ┃ Is  ┃\n"
            "┃          ┃     # ┃     ┃\n"
            "┡━━━━━━━━━━╇━━━━━━━╇━━━━━┩\n"
            "│ one      │ 1,024 │  Y  │\n"
            "│ (First)  │       │     │\n"
            "├──────────┼───────┼─────┤\n"
            "│ a_long_… │     7 │  -  │\n"
            "│ (S)      │       │     │\n"
            "├──────────┼───────┼─────┤\n"
            "│    └ in  │       │ éé  │\n"
            "│ (x)      │       │     │\n"
            "└──────────┴───────┴─────┘\n");
}

TEST(Table, WithoutRows) {
  EXPECT_EQ(table_text({{"A", 5}}, {}), "┏━━━━━┓\n┃ A   ┃\n┡━━━━━┩\n└─────┘\n");
}

TEST(Table, Characters) {
  EXPECT_EQ(characters("━é1"), 3);
  EXPECT_EQ(first_characters("━é1", 2), "━é");
  EXPECT_EQ(first_characters("━é1", 9), "━é1");
  EXPECT_EQ(first_characters("━", 0), "");
}

}  // namespace
