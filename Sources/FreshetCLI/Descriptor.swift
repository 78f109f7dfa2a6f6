import Foundation

/// What is written to open files.
enum Descriptor {
  /// Writes all bytes; returns why that is not possible, or `nil`.
  ///
  /// A reader that has gone away wants nothing more, which is no problem.
  static func write(_ data: Data, to descriptor: Int32) -> String? {
    let code = data.withUnsafeBytes { write($0, to: descriptor) }
    return code == 0 || code == EPIPE ? nil : "writing failed: \(String(cString: strerror(code)))"
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
