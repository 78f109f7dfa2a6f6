import Foundation

/// What is written to open files.
enum Descriptor {
  enum Outcome: Sendable {
    case written
    /// The reader has gone away and wants nothing more, which is no problem.
    case unwanted
    case failed(String)
  }

  /// Writes all bytes.
  static func write(_ data: Data, to descriptor: Int32) -> Outcome {
    switch data.withUnsafeBytes({ write($0, to: descriptor) }) {
    case 0: .written
    case EPIPE: .unwanted
    case let code: .failed("writing failed: \(String(cString: strerror(code)))")
    }
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = Foundation.write(descriptor, start, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno == EAGAIN {
        // Whoever shares it has made it refuse instead of wait.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
