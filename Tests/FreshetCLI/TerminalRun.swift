#if canImport(Glibc)
import Foundation
import TestSupport

/// A `freshet` that ran on a terminal of its own, which shows its output and its error output.
struct TerminalRun {
  let status: Int32
  /// What stood on the terminal at the end, line by line.
  let lines: [String]

  static let isPossible = access("/dev/ptmx", R_OK | W_OK) == 0

  /// The requests that the GNU C library has as macros.
  private enum Request {
    static let unlock: UInt = 0x4004_5431
    static let number: UInt = 0x8004_5430
  }

  /// Runs it to its end.
  ///
  /// - Parameters:
  ///   - arguments: Those of `freshet`.
  ///   - texts: What is waited for.
  ///   - action: What is done once all of that has been written to the terminal.
  /// - Throws: Why there is no terminal, and ``SpawnError`` if the program does not start.
  init(
    _ arguments: [String],
    once texts: [String] = [],
    do action: @escaping @Sendable () -> Void = {}
  ) async throws {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .ENXIO) }
    var (lock, number) = (Int32(0), Int32(0))
    var size = winsize(ws_row: 200, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, Request.unlock, &lock)
    _ = ioctl(master, Request.number, &number)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    let terminal = URL(filePath: "/dev/pts/\(number)")
    let process = try ChildProcess(
      "/usr/bin/env",
      ["TERM=xterm", "NO_COLOR=1", Program.built("freshet")] + arguments,
      standards: Standards(output: .file(terminal), error: .file(terminal))
    )
    let shown = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Self.read(master, texts, action)) }
    }
    close(master)
    status = await process.end().status
    lines = Screen.lines(of: shown)
  }

  /// All that is written to the terminal, until nobody has it open.
  private static func read(
    _ master: Int32,
    _ texts: [String],
    _ action: () -> Void
  ) -> [UInt8] {
    var all: [UInt8] = []
    var isWaiting = true
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = Glibc.read(master, &piece, piece.count)
      if count > 0 {
        all += piece[..<count]
        if isWaiting, texts.allSatisfy(String(decoding: all, as: UTF8.self).contains) {
          isWaiting = false
          action()
        }
      } else if count == 0 || errno != EINTR {
        return all
      }
    }
  }
}
#endif
