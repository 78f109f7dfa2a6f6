package import Foundation

/// Reads the lines that a program writes to a pipe.
package final class PipeLines {
  private let handle: FileHandle
  private var rest = Data()

  package init(_ pipe: Pipe) {
    handle = pipe.fileHandleForReading
  }

  /// Waits for the next line; `nil` at the end.
  ///
  /// It waits on a thread of its own, so that the tests' pool stays free.
  package func next() async -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = Data(rest[(end + 1)...]) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let handle = handle
      let bytes = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: handle.availableData) }
      }
      guard !bytes.isEmpty else { return nil }
      rest.append(bytes)
    }
  }
}
