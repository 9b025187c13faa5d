// What it costs to give MPI the buffer of buffered sends, to take it back, and to ask whether it is empty.
#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include "groma/mpi/attached_buffer.hpp"
#include "groma/operations/calls.hpp"

namespace groma {

/// With nothing in the buffer.
struct OnBuffer : Placed {
  static constexpr Info common{.family = Family::harness, .time = "one call"};
};

struct BufferAttach : OnBuffer {
  static constexpr Info info = [] {
    Info own = named(common, "buffer_attach", "The buffer of buffered sends is taken from MPI and given again.",
                     "MPI_Buffer_detach, MPI_Buffer_attach");
    own.time = "one buffer taken and given";
    return own;
  }();
  void open() { AttachedBuffer::require(site); }
  void step() noexcept {
    void* buffer = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(static_cast<void*>(&buffer), &bytes);
    MPI_Buffer_attach(buffer, bytes);
  }
};

/// Calls of MPI 4.1.
template <auto Do>
struct Flushing : OnBuffer {
  using Call = Calls<Do>;
  static constexpr std::string_view lacks = Call::blocking ? "" : "calls that flush buffers (MPI 4.1)";
  MPI_Request request = MPI_REQUEST_NULL;
};
struct BufferFlush : Flushing<MPI_Buffer_flush> {
  static constexpr Info info = named(
      common, "buffer_flush", "Waits until the buffer of buffered sends is empty, which it is.", "MPI_Buffer_flush");
  void open() { AttachedBuffer::require(site); }
  void step() noexcept { Call::now(std::tuple()); }
};
struct BufferIflush : Flushing<MPI_Buffer_iflush> {
  static constexpr Info info = named(common, "buffer_iflush", "As buffer_flush, nonblocking: started, then waited for.",
                                     "MPI_Buffer_iflush, MPI_Wait");
  void open() { AttachedBuffer::require(site); }
  void step() noexcept {
    Call::now(std::tuple(&request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

/// A buffer of the communicator, beside that of the process.
template <auto Do>
struct OfCommunicator : Flushing<Do> {
  std::vector<std::byte> buffer = std::vector<std::byte>(1 << 16);
  void attach() noexcept {
    Calls<MPI_Comm_attach_buffer>::now(std::tuple(this->site.comm, buffer.data(), static_cast<int>(buffer.size())));
  }
  void detach() noexcept {
    void* taken = nullptr;
    int bytes = 0;
    Calls<MPI_Comm_detach_buffer>::now(std::tuple(this->site.comm, static_cast<void*>(&taken), &bytes));
  }
};
struct CommAttachBuffer : OfCommunicator<MPI_Comm_attach_buffer> {
  static constexpr Info info = [] {
    Info own = named(common, "comm_attach_buffer", "A communicator is given a buffer of its own, which is taken back.",
                     "MPI_Comm_attach_buffer, MPI_Comm_detach_buffer");
    own.time = "one buffer given and taken";
    return own;
  }();
  void step() noexcept {
    attach();
    detach();
  }
};
struct CommFlushBuffer : OfCommunicator<MPI_Comm_flush_buffer> {
  static constexpr Info info =
      named(common, "comm_flush_buffer", "As buffer_flush, of a communicator's own buffer.", "MPI_Comm_flush_buffer");
  void open() { attach(); }
  void close() { detach(); }
  void step() noexcept { Call::now(std::tuple(site.comm)); }
};
struct CommIflushBuffer : OfCommunicator<MPI_Comm_iflush_buffer> {
  static constexpr Info info =
      named(common, "comm_iflush_buffer", "As comm_flush_buffer, nonblocking: started, then waited for.",
            "MPI_Comm_iflush_buffer, MPI_Wait");
  void open() { attach(); }
  void close() { detach(); }
  void step() noexcept {
    Call::now(std::tuple(site.comm, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

/// A buffer of a session.
template <auto Do>
struct OfOpenSession : Flushing<Do> {
  std::vector<std::byte> buffer = std::vector<std::byte>(1 << 16);
  MPI_Session session = MPI_SESSION_NULL;
  void open() { MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session); }
  void close() { MPI_Session_finalize(&session); }
  void attach() noexcept {
    Calls<MPI_Session_attach_buffer>::now(std::tuple(session, buffer.data(), static_cast<int>(buffer.size())));
  }
  void detach() noexcept {
    void* taken = nullptr;
    int bytes = 0;
    Calls<MPI_Session_detach_buffer>::now(std::tuple(session, static_cast<void*>(&taken), &bytes));
  }
};
struct SessionAttachBuffer : OfOpenSession<MPI_Session_attach_buffer> {
  static constexpr Info info = [] {
    Info own = named(common, "session_attach_buffer", "A session is given a buffer of its own, which is taken back.",
                     "MPI_Session_attach_buffer, MPI_Session_detach_buffer");
    own.time = "one buffer given and taken";
    return own;
  }();
  void step() noexcept {
    attach();
    detach();
  }
};
template <auto Do>
struct WithSessionBuffer : OfOpenSession<Do> {
  void open() {
    OfOpenSession<Do>::open();
    this->attach();
  }
  void close() {
    this->detach();
    OfOpenSession<Do>::close();
  }
};
struct SessionFlushBuffer : WithSessionBuffer<MPI_Session_flush_buffer> {
  static constexpr Info info =
      named(common, "session_flush_buffer", "As buffer_flush, of a session's own buffer.", "MPI_Session_flush_buffer");
  void step() noexcept { Call::now(std::tuple(session)); }
};
struct SessionIflushBuffer : WithSessionBuffer<MPI_Session_iflush_buffer> {
  static constexpr Info info =
      named(common, "session_iflush_buffer", "As session_flush_buffer, nonblocking: started, then waited for.",
            "MPI_Session_iflush_buffer, MPI_Wait");
  void step() noexcept {
    Call::now(std::tuple(session, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

using BufferCalls = OperationList<BufferAttach, BufferFlush, BufferIflush, CommAttachBuffer, CommFlushBuffer,
                                  CommIflushBuffer, SessionAttachBuffer, SessionFlushBuffer, SessionIflushBuffer>;

}  // namespace groma
