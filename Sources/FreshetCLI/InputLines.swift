import Foundation
import Freshet
import Synchronization

/// The lines of standard input, read on demand.
///
/// Unlike `readLine()`, it waits where another process has made the descriptor non-blocking, and tells a
/// failure apart from the end. Reading blocks its thread, so it runs on a queue's.
final class InputLines: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    /// The number of bytes that contain no end of a line.
    var searched = 0
    var isOver = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "standard input")

  /// Waits for the next line, without its end; `nil` at the end of the input.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if the input cannot be read.
  func next() async throws(FreshetError) -> String? {
    let line = await queue.result { [self] in
      state.withLock { state in
        Result { () throws(Descriptor.Code) in try Self.next(&state) }
      }
    }
    do throws(Descriptor.Code) {
      return try line.get()
    } catch {
      throw .file(error.reason, path: Input.standardInput.name)
    }
  }

  private static func next(_ state: inout State) throws(Descriptor.Code) -> String? {
    while true {
      if let end = state.bytes[state.searched...].firstIndex(of: UInt8(ascii: "\n")) {
        var line = state.bytes[..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let text = String(decoding: line, as: UTF8.self)
        state.bytes.removeFirst(end + 1)
        state.searched = 0
        return text
      }
      state.searched = state.bytes.count
      guard !state.isOver else {
        defer { (state.bytes, state.searched) = ([], 0) }
        return state.bytes.isEmpty ? nil : String(decoding: state.bytes, as: UTF8.self)
      }
      let piece = try Descriptor.readPiece(STDIN_FILENO)
      state.bytes += piece
      state.isOver = piece.isEmpty
    }
  }
}
