import Foundation

/// Reads and writes open file descriptors.
enum Descriptor {
  enum Outcome: Sendable {
    case written
    /// The reader has closed the pipe.
    case unwanted
    case failed(String)
  }

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
        // Another process that shares the descriptor has made it non-blocking.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  struct Code: Error {
    let rawValue: Int32

    var reason: String { String(cString: strerror(rawValue)) }
  }

  /// Reads all remaining bytes.
  static func read(_ descriptor: Int32) throws(Code) -> Data {
    var data = Data()
    while true {
      let piece = try readPiece(descriptor)
      if piece.isEmpty { return data }
      data.append(contentsOf: piece)
    }
  }

  /// Reads what has arrived, or waits for more; nothing at the end.
  static func readPiece(_ descriptor: Int32) throws(Code) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Foundation.read(descriptor, &piece, piece.count)
      if count >= 0 {
        return Array(piece[..<count])
      } else if errno == EAGAIN {
        var more = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&more, 1, -1)
      } else if errno != EINTR {
        throw Code(rawValue: errno)
      }
    }
  }

  /// Occupies the numbers of closed standard streams, so that no other file gets one and receives
  /// the output of the stream; reading and writing fail as before.
  static func occupyStandardStreams() {
    for descriptor in STDIN_FILENO...STDERR_FILENO
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is used, and all lower ones are in use by now.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
