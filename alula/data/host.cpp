#include "alula/data/host.h"

#include <atomic>

#include "alula/data/stage.h"

namespace alula::data {
namespace {

std::atomic<const HostErrors*> the_host_errors = nullptr;
thread_local WhileWaiting::Function while_waiting = nullptr;

}  // namespace

void set_host_errors(const HostErrors* errors) { the_host_errors = errors; }
const HostErrors* host_errors() { return the_host_errors; }

bool asks_to_stop() {
  try {
    throw;
  } catch (const Cancelled&) {
    return true;
  } catch (const std::exception& error) {
    const HostErrors* host = host_errors();
    return host != nullptr && host->is_one(error) && host->asks_to_stop(error);
  } catch (...) {
    return false;
  }
}

WhileWaiting::WhileWaiting(Function function) : before_(while_waiting) { while_waiting = function; }
WhileWaiting::~WhileWaiting() { while_waiting = before_; }
WhileWaiting::Function WhileWaiting::current() { return while_waiting; }

}  // namespace alula::data
