#include "alula/keras/callbacks/csv_logger.h"

#include "alula/keras/callbacks/scripted_test.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::callbacks;
using alula::testing::TemporaryFolder;

namespace {

TEST(CSVLogger, WritesWhatKerasWrites) {
  run_cases("CSVLogger", 5, [](const io::Json& config, const std::string& folder) {
    return CSVLogger({.filename = folder + "/" + text_in(config, "filename", ""),
                      .separator = text_in(config, "separator", ",")});
  });
}

void log_epoch(const CSVLoggerOptions& options, int64_t epoch, Logs logs) {
  CSVLogger logger(options);
  logger.on_train_begin();
  logger.on_epoch_end(epoch, logs);
}

TEST(CSVLogger, GoesOnInAFile) {
  const TemporaryFolder folder;
  const CSVLoggerOptions options{.filename = folder / "log.csv", .append = true};
  log_epoch(options, 0, {{"val_loss", 1}});
  log_epoch(options, 1, {{"val_loss", 1e-9}});
  EXPECT_EQ(io::read_file(options.filename), "epoch,val_loss\r\n0,1.0\r\n1,1e-09\r\n");
  log_epoch({.filename = options.filename}, 5, {{"val_loss", 123456789012345680.0}});
  EXPECT_EQ(io::read_file(options.filename), "epoch,val_loss\r\n5,1.2345678901234568e+17\r\n");
}

TEST(CSVLogger, EachLineIsThereAtOnce) {
  const TemporaryFolder folder;
  CSVLogger logger({.filename = folder / "log.csv"});
  logger.on_train_begin();
  Logs logs{{"a,\"b\"", 0.5}};
  logger.on_epoch_end(0, logs);
  EXPECT_EQ(io::read_file(folder / "log.csv"),
            "epoch,\"a,\"\"b\"\"\",\"val_a,\"\"b\"\"\"\r\n0,0.5,NA\r\n");
}

TEST(CSVLogger, Errors) {
  EXPECT_ERROR(CSVLogger({}), InvalidArgumentError, "it needs a filename");
  EXPECT_ERROR(CSVLogger({.filename = "a", .separator = "ab"}), InvalidArgumentError,
               "the separator is one character. Got \"ab\"");
  CSVLogger logger({.filename = "/no such folder/log.csv"});
  EXPECT_ERROR(logger.on_train_begin(), FailedPreconditionError,
               "cannot write /no such folder/log.csv: No such file");
}

}  // namespace
