// What NumPy 2.2.6 prints: the texts are str(numpy.array(...)).
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "alula/testing/harness.h"

using namespace alula;
using alula::testing::Array;
using alula::testing::to_tensor;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// 0, step, 2 step, …; a bool is whether the number is odd.
Tensor counting(DType dtype, Shape shape, double step = 1) {
  Array array(shape);
  for (int64_t i = 0; i < array.size(); ++i)
    array.values[i] = dtype == boolean ? static_cast<double>(i % 2) : static_cast<double>(i) * step;
  return to_tensor(array, dtype);
}

}  // namespace

TEST(Print, Scalars) {
  EXPECT_EQ(constant(0.0, float32).str(), "0.0");
  EXPECT_EQ(constant(-0.0, float32).str(), "-0.0");
  EXPECT_EQ(constant(1.0, float32).str(), "1.0");
  EXPECT_EQ(constant(-2.5, float32).str(), "-2.5");
  EXPECT_EQ(constant(0.1, float32).str(), "0.1");
  EXPECT_EQ(constant(0.3333333333333333, float32).str(), "0.33333334");
  EXPECT_EQ(constant(123456789.0, float32).str(), "123456790.0");
  EXPECT_EQ(constant(1000000000000000.0, float32).str(), "1000000000000000.0");
  EXPECT_EQ(constant(1e+16, float32).str(), "1e+16");
  EXPECT_EQ(constant(0.0001, float32).str(), "1e-04");
  EXPECT_EQ(constant(1e-05, float32).str(), "1e-05");
  EXPECT_EQ(constant(1e+30, float32).str(), "1e+30");
  EXPECT_EQ(constant(kNaN, float32).str(), "nan");
  EXPECT_EQ(constant(kInfinity, float32).str(), "inf");
  EXPECT_EQ(constant(-kInfinity, float32).str(), "-inf");
  EXPECT_EQ(constant(0.1, float64).str(), "0.1");
  EXPECT_EQ(constant(0.3333333333333333, float64).str(), "0.3333333333333333");
  EXPECT_EQ(constant(1e+16, float64).str(), "1e+16");
  EXPECT_EQ(constant(123456789012345.67, float64).str(), "123456789012345.67");
  EXPECT_EQ(constant(5e-324, float64).str(), "5e-324");
  EXPECT_EQ(constant(65504.0, float16).str(), "65500.0");
  EXPECT_EQ(constant(0.1, float16).str(), "0.1");
  EXPECT_EQ(constant(6e-08, float16).str(), "6e-08");
  EXPECT_EQ(constant(0.333251953125, float16).str(), "0.3333");
  EXPECT_EQ(constant(7, int32).str(), "7");
  EXPECT_EQ(constant(-128, int8).str(), "-128");
  EXPECT_EQ(Tensor(UINT64_MAX).str(), "18446744073709551615");
  EXPECT_EQ(constant(true, boolean).str(), "True");
  EXPECT_EQ(constant(false, boolean).str(), "False");
}

TEST(Print, Floats) {
  EXPECT_EQ(constant({1.0, 2.0, 3.0}, float32).str(), "[1. 2. 3.]");
  EXPECT_EQ(constant({1.5, 10.0, -100.25}, float32).str(), "[   1.5    10.   -100.25]");
  EXPECT_EQ(constant({0.1, 0.2, 0.3}, float32).str(), "[0.1 0.2 0.3]");
  EXPECT_EQ(constant({0.1, 0.2, 0.3}, float64).str(), "[0.1 0.2 0.3]");
  EXPECT_EQ(constant({0.1, 0.2, 0.3}, float16).str(), "[0.1 0.2 0.3]");
  EXPECT_EQ(constant({0.3333333333333333, 0.6666666666666666, 1.0}, float64).str(),
            "[0.33333333 0.66666667 1.        ]");
  EXPECT_EQ(constant({0.3333333333333333, 0.6666666666666666, 1.0}, float32).str(),
            "[0.33333334 0.6666667  1.        ]");
  EXPECT_EQ(constant({0.3333333333333333, 0.6666666666666666, 1.0}, float16).str(),
            "[0.3333 0.6665 1.    ]");
  EXPECT_EQ(constant({0.0, -0.0}, float32).str(), "[ 0. -0.]");
  EXPECT_EQ(constant({-0.268941432, 0.0, 1.76159418}, float32).str(),
            "[-0.26894143  0.          1.7615942 ]");
  EXPECT_EQ(constant({100000000.0}, float32).str(), "[1.e+08]");
  EXPECT_EQ(constant({99999992.0}, float32).str(), "[99999992.]");
  EXPECT_EQ(constant({0.0001}, float32).str(), "[0.0001]");
  EXPECT_EQ(constant({9e-05}, float32).str(), "[9.e-05]");
  EXPECT_EQ(constant({1.0, 1000.0}, float32).str(), "[   1. 1000.]");
  EXPECT_EQ(constant({1.0, 1001.0}, float32).str(), "[1.000e+00 1.001e+03]");
  EXPECT_EQ(constant({0.001, 1.0}, float64).str(), "[0.001 1.   ]");
  EXPECT_EQ(constant({0.001, 1.0}, float32).str(), "[0.001 1.   ]");
  EXPECT_EQ(constant({10000000000.0, -2.5e-07}, float64).str(), "[ 1.0e+10 -2.5e-07]");
  EXPECT_EQ(constant({1.5e+300, 1.0}, float64).str(), "[1.5e+300 1.0e+000]");
  EXPECT_EQ(constant({1e-300, 1e+300}, float64).str(), "[1.e-300 1.e+300]");
  EXPECT_EQ(constant({1.0, 1e+38}, float32).str(), "[1.e+00 1.e+38]");
  EXPECT_EQ(constant({5e-324, 0.0}, float64).str(), "[5.e-324 0.e+000]");
  EXPECT_EQ(constant({123456.789, 1.0}, float64).str(), "[1.23456789e+05 1.00000000e+00]");
  EXPECT_EQ(constant({12345.678, 12.0}, float32).str(), "[1.2345678e+04 1.2000000e+01]");
  EXPECT_EQ(constant({3.14159265358979}, float64).str(), "[3.14159265]");
  EXPECT_EQ(constant({2.718281828459045, 100.0}, float64).str(), "[  2.71828183 100.        ]");
  EXPECT_EQ(constant({65504.0}, float16).str(), "[65504.]");
  EXPECT_EQ(constant({4112.0, 8.0}, float16).str(), "[4112.    8.]");
  EXPECT_EQ(constant({6e-08, 1.0}, float16).str(), "[6.e-08 1.e+00]");
  EXPECT_EQ(constant({1000.0, 1.0}, float16).str(), "[1000.    1.]");
  EXPECT_EQ(constant({1.0, 0.00097704}, float16).str(), "[1.000e+00 9.775e-04]");
  EXPECT_EQ(constant({0.123456785, 0.123456775}, float64).str(), "[0.12345678 0.12345678]");
}

TEST(Print, NotFinite) {
  EXPECT_EQ(constant({kNaN}, float32).str(), "[nan]");
  EXPECT_EQ(constant({kInfinity, -kInfinity}, float32).str(), "[ inf -inf]");
  EXPECT_EQ(constant({1.0, kNaN}, float32).str(), "[ 1. nan]");
  EXPECT_EQ(constant({1.0, -kInfinity, kInfinity}, float32).str(), "[  1. -inf  inf]");
  EXPECT_EQ(constant({kNaN, kInfinity, 10000000000.0}, float32).str(), "[   nan    inf 1.e+10]");
  EXPECT_EQ(constant({0.5, -kInfinity}, float64).str(), "[ 0.5 -inf]");
  EXPECT_EQ(constant({kNaN, -kInfinity}, float16).str(), "[ nan -inf]");
  EXPECT_EQ(constant({kNaN, 100000.5, -kInfinity}, float64).str(), "[     nan 100000.5     -inf]");
}

TEST(Print, IntegersAndBools) {
  EXPECT_EQ(constant({1, -20, 300}, int32).str(), "[  1 -20 300]");
  EXPECT_EQ(constant({0}, int8).str(), "[0]");
  EXPECT_EQ(constant({{1, 2}, {3, 4}}, int64).str(), R"([[1 2]
 [3 4]])");
  EXPECT_EQ((Tensor{INT64_MIN, INT64_MAX}).str(), "[-9223372036854775808  9223372036854775807]");
  EXPECT_EQ(constant({255, 7}, uint8).str(), "[255   7]");
  EXPECT_EQ((Tensor{UINT64_MAX, uint64_t{1}}).str(), "[18446744073709551615                    1]");
  EXPECT_EQ(constant({true}, boolean).str(), "[ True]");
  EXPECT_EQ(constant({true, false, true}, boolean).str(), "[ True False  True]");
  EXPECT_EQ(constant({{false, false}, {true, true}}, boolean).str(), R"([[False False]
 [ True  True]])");
}

TEST(Print, Strings) {
  EXPECT_EQ((Tensor{"a", "b"}).str(), "[b'a' b'b']");
  EXPECT_EQ((Tensor{{"one", "two"}, {"", "four"}}).str(), R"([[b'one' b'two']
 [b'' b'four']])");
  EXPECT_EQ((Tensor{"it's", "\"q\"", "'\"", "back\\slash"}).str(),
            "[b\"it's\" b'\"q\"' b'\\'\"' b'back\\\\slash']");
  EXPECT_EQ((Tensor{"tab\t", "line\n", "\r", std::string("\0\x7f\xc3\xa9", 4)}).str(),
            "[b'tab\\t' b'line\\n' b'\\r' b'\\x00\\x7f\\xc3\\xa9']");
  EXPECT_EQ(Tensor("text").str(), "b'text'");
  EXPECT_EQ(Tensor(std::vector<std::string>(12, "twelve of them")).str(),
            R"([b'twelve of them' b'twelve of them' b'twelve of them' b'twelve of them'
 b'twelve of them' b'twelve of them' b'twelve of them' b'twelve of them'
 b'twelve of them' b'twelve of them' b'twelve of them' b'twelve of them'])");
}

TEST(Print, Nested) {
  EXPECT_EQ(constant({{1.0, 2.5}, {-3.0, 4.0}}, float32).str(), R"([[ 1.   2.5]
 [-3.   4. ]])");
  EXPECT_EQ(counting(float32, {2, 3, 4}).str(), R"([[[ 0.  1.  2.  3.]
  [ 4.  5.  6.  7.]
  [ 8.  9. 10. 11.]]

 [[12. 13. 14. 15.]
  [16. 17. 18. 19.]
  [20. 21. 22. 23.]]])");
  EXPECT_EQ(counting(int32, {2, 1, 2, 3}).str(), R"([[[[ 0  1  2]
   [ 3  4  5]]]


 [[[ 6  7  8]
   [ 9 10 11]]]])");
  EXPECT_EQ(counting(int32, {1, 1, 1, 1, 1, 1, 1, 1}).str(), "[[[[[[[[0]]]]]]]]");
  EXPECT_EQ(counting(int32, {2, 2, 1, 1, 2}).str(), R"([[[[[0 1]]]


  [[[2 3]]]]



 [[[[4 5]]]


  [[[6 7]]]]])");
}

TEST(Print, Empty) {
  EXPECT_EQ(counting(float32, {0}).str(), "[]");
  EXPECT_EQ(counting(float32, {0, 3}).str(), "[]");
  EXPECT_EQ(counting(float32, {3, 0}).str(), "[]");
  EXPECT_EQ(counting(float32, {2, 0, 3}).str(), "[]");
  EXPECT_EQ(Tensor(std::vector<std::string>{}).str(), "[]");
}

TEST(Print, Wrapped) {
  EXPECT_EQ(counting(int32, {40}).str(),
            R"([ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39])");
  EXPECT_EQ(counting(float32, {30}).str(),
            R"([ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.
 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29.])");
  EXPECT_EQ(counting(float64, {2, 25}, 1.0 / 3).str(),
            R"([[ 0.          0.33333333  0.66666667  1.          1.33333333  1.66666667
   2.          2.33333333  2.66666667  3.          3.33333333  3.66666667
   4.          4.33333333  4.66666667  5.          5.33333333  5.66666667
   6.          6.33333333  6.66666667  7.          7.33333333  7.66666667
   8.        ]
 [ 8.33333333  8.66666667  9.          9.33333333  9.66666667 10.
  10.33333333 10.66666667 11.         11.33333333 11.66666667 12.
  12.33333333 12.66666667 13.         13.33333333 13.66666667 14.
  14.33333333 14.66666667 15.         15.33333333 15.66666667 16.
  16.33333333]])");
  EXPECT_EQ(counting(boolean, {30}).str(),
            R"([False  True False  True False  True False  True False  True False  True
 False  True False  True False  True False  True False  True False  True
 False  True False  True False  True])");
  EXPECT_EQ(counting(int64, {2, 2, 20}, 1000).str(),
            R"([[[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000
   11000 12000 13000 14000 15000 16000 17000 18000 19000]
  [20000 21000 22000 23000 24000 25000 26000 27000 28000 29000 30000
   31000 32000 33000 34000 35000 36000 37000 38000 39000]]

 [[40000 41000 42000 43000 44000 45000 46000 47000 48000 49000 50000
   51000 52000 53000 54000 55000 56000 57000 58000 59000]
  [60000 61000 62000 63000 64000 65000 66000 67000 68000 69000 70000
   71000 72000 73000 74000 75000 76000 77000 78000 79000]]])");
  EXPECT_EQ(counting(int32, {24}).str(),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23]");
  EXPECT_EQ(counting(int32, {25}, 100).str(),
            R"([   0  100  200  300  400  500  600  700  800  900 1000 1100 1200 1300
 1400 1500 1600 1700 1800 1900 2000 2100 2200 2300 2400])");
}

TEST(Print, Summarized) {
  EXPECT_EQ(counting(int32, {1001}).str(), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(counting(float32, {40, 40}, 0.5).str(),
            R"([[0.000e+00 5.000e-01 1.000e+00 ... 1.850e+01 1.900e+01 1.950e+01]
 [2.000e+01 2.050e+01 2.100e+01 ... 3.850e+01 3.900e+01 3.950e+01]
 [4.000e+01 4.050e+01 4.100e+01 ... 5.850e+01 5.900e+01 5.950e+01]
 ...
 [7.400e+02 7.405e+02 7.410e+02 ... 7.585e+02 7.590e+02 7.595e+02]
 [7.600e+02 7.605e+02 7.610e+02 ... 7.785e+02 7.790e+02 7.795e+02]
 [7.800e+02 7.805e+02 7.810e+02 ... 7.985e+02 7.990e+02 7.995e+02]])");
  EXPECT_EQ(counting(int32, {7, 200}).str(), R"([[   0    1    2 ...  197  198  199]
 [ 200  201  202 ...  397  398  399]
 [ 400  401  402 ...  597  598  599]
 ...
 [ 800  801  802 ...  997  998  999]
 [1000 1001 1002 ... 1197 1198 1199]
 [1200 1201 1202 ... 1397 1398 1399]])");
  EXPECT_EQ(counting(int32, {6, 300}).str(), R"([[   0    1    2 ...  297  298  299]
 [ 300  301  302 ...  597  598  599]
 [ 600  601  602 ...  897  898  899]
 [ 900  901  902 ... 1197 1198 1199]
 [1200 1201 1202 ... 1497 1498 1499]
 [1500 1501 1502 ... 1797 1798 1799]])");
  EXPECT_EQ(counting(int32, {1100, 1}).str(), R"([[   0]
 [   1]
 [   2]
 ...
 [1097]
 [1098]
 [1099]])");
  EXPECT_EQ(counting(int32, {11, 11, 11}).str(), R"([[[   0    1    2 ...    8    9   10]
  [  11   12   13 ...   19   20   21]
  [  22   23   24 ...   30   31   32]
  ...
  [  88   89   90 ...   96   97   98]
  [  99  100  101 ...  107  108  109]
  [ 110  111  112 ...  118  119  120]]

 [[ 121  122  123 ...  129  130  131]
  [ 132  133  134 ...  140  141  142]
  [ 143  144  145 ...  151  152  153]
  ...
  [ 209  210  211 ...  217  218  219]
  [ 220  221  222 ...  228  229  230]
  [ 231  232  233 ...  239  240  241]]

 [[ 242  243  244 ...  250  251  252]
  [ 253  254  255 ...  261  262  263]
  [ 264  265  266 ...  272  273  274]
  ...
  [ 330  331  332 ...  338  339  340]
  [ 341  342  343 ...  349  350  351]
  [ 352  353  354 ...  360  361  362]]

 ...

 [[ 968  969  970 ...  976  977  978]
  [ 979  980  981 ...  987  988  989]
  [ 990  991  992 ...  998  999 1000]
  ...
  [1056 1057 1058 ... 1064 1065 1066]
  [1067 1068 1069 ... 1075 1076 1077]
  [1078 1079 1080 ... 1086 1087 1088]]

 [[1089 1090 1091 ... 1097 1098 1099]
  [1100 1101 1102 ... 1108 1109 1110]
  [1111 1112 1113 ... 1119 1120 1121]
  ...
  [1177 1178 1179 ... 1185 1186 1187]
  [1188 1189 1190 ... 1196 1197 1198]
  [1199 1200 1201 ... 1207 1208 1209]]

 [[1210 1211 1212 ... 1218 1219 1220]
  [1221 1222 1223 ... 1229 1230 1231]
  [1232 1233 1234 ... 1240 1241 1242]
  ...
  [1298 1299 1300 ... 1306 1307 1308]
  [1309 1310 1311 ... 1317 1318 1319]
  [1320 1321 1322 ... 1328 1329 1330]]])");
  EXPECT_EQ(counting(float64, {2, 3, 500}, 0.25).str(),
            R"([[[0.0000e+00 2.5000e-01 5.0000e-01 ... 1.2425e+02 1.2450e+02 1.2475e+02]
  [1.2500e+02 1.2525e+02 1.2550e+02 ... 2.4925e+02 2.4950e+02 2.4975e+02]
  [2.5000e+02 2.5025e+02 2.5050e+02 ... 3.7425e+02 3.7450e+02 3.7475e+02]]

 [[3.7500e+02 3.7525e+02 3.7550e+02 ... 4.9925e+02 4.9950e+02 4.9975e+02]
  [5.0000e+02 5.0025e+02 5.0050e+02 ... 6.2425e+02 6.2450e+02 6.2475e+02]
  [6.2500e+02 6.2525e+02 6.2550e+02 ... 7.4925e+02 7.4950e+02 7.4975e+02]]])");
  EXPECT_EQ(counting(boolean, {2000}).str(), "[False  True False ...  True False  True]");
  EXPECT_EQ(counting(float32, {2000}, 1e5).str(),
            "[0.000e+00 1.000e+05 2.000e+05 ... 1.997e+08 1.998e+08 1.999e+08]");
  EXPECT_EQ(counting(float32, {30, 100}, 1.0 / 3).str(),
            R"([[0.0000000e+00 3.3333334e-01 6.6666669e-01 ... 3.2333332e+01
  3.2666668e+01 3.3000000e+01]
 [3.3333332e+01 3.3666668e+01 3.4000000e+01 ... 6.5666664e+01
  6.6000000e+01 6.6333336e+01]
 [6.6666664e+01 6.7000000e+01 6.7333336e+01 ... 9.9000000e+01
  9.9333336e+01 9.9666664e+01]
 ...
 [9.0000000e+02 9.0033331e+02 9.0066669e+02 ... 9.3233331e+02
  9.3266669e+02 9.3300000e+02]
 [9.3333331e+02 9.3366669e+02 9.3400000e+02 ... 9.6566669e+02
  9.6600000e+02 9.6633331e+02]
 [9.6666669e+02 9.6700000e+02 9.6733331e+02 ... 9.9900000e+02
  9.9933331e+02 9.9966669e+02]])");
}

TEST(Print, BFloat16) {  // which NumPy lacks: as float32, with the digits that a bfloat16 needs
  EXPECT_EQ(constant({0.1, 0.2, 3}, bfloat16).str(), "[0.1 0.2 3. ]");
  EXPECT_EQ(constant({1.0 / 3, 100}, bfloat16).str(), "[  0.334 100.   ]");
  EXPECT_EQ(constant({12345, 3}, bfloat16).str(), "[1.235e+04 3.000e+00]");
  EXPECT_EQ(constant({1e30, -kInfinity}, bfloat16).str(), "[1.e+30   -inf]");
  EXPECT_EQ(constant(0.1, bfloat16).str(), "0.1");
  EXPECT_EQ(constant(3.38e38, bfloat16).str(), "3.38e+38");
}

TEST(Print, EveryBFloat16ComesBack) {
  for (uint32_t bits = 0; bits < 0x7f80; ++bits) {
    const auto value = BFloat16::from_bits(static_cast<uint16_t>(bits));
    const std::string text = Tensor(value).str();
    EXPECT_EQ(BFloat16(std::strtof(text.c_str(), nullptr)).bits, bits) << text;
    EXPECT_LE(text.size(), 20u) << text;
  }
}

TEST(Print, NoTensor) {
  EXPECT_EQ(Tensor().str(), "Tensor()");
  EXPECT_EQ(fmt::format("{} {}", Tensor(), Tensor(2.5)), "Tensor() 2.5");
  std::ostringstream stream;
  stream << Tensor{1, 2} << Tensor();
  EXPECT_EQ(stream.str(), "[1 2]Tensor()");
}

TEST(Print, FromAnyDevice) {
  for (Device device : alula::testing::test_devices())
    EXPECT_EQ((Tensor{{1.5, 2.0}}).to(device).str(), "[[1.5 2. ]]") << to_string(device);
}
