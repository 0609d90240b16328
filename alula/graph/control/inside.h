#pragma once

namespace alula::graph {

/// Whether what is being traced in this thread is a branch or a body of control flow: then a run
/// may come to it any number of times, and variables are not what they were at its start.
bool is_inside_control_flow();

}  // namespace alula::graph
