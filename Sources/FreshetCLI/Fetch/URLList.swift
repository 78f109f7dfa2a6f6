import Foundation
import Freshet

/// Lines with one URL each; empty ones and those that begin with `#` are left out.
enum URLList {
  static func read(_ list: FetchOptions.List) throws -> [String] {
    let handle =
      switch list {
      case .file(let url): try FileHandle(forReadingFrom: url)
      case .standardInput: FileHandle.standardInput
      }
    let text = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).compactMap { url(in: $0) }
  }

  static func url(in line: some StringProtocol) -> String? {
    let text = line.trimmingCharacters(in: .whitespaces)
    return text.isEmpty || text.hasPrefix("#") ? nil : text
  }
}

/// The lines of standard input, one after the other as they are asked for.
///
/// Reading blocks, and so it is done on a queue's thread.
struct InputLines: AsyncSequence, Sendable {
  func makeAsyncIterator() -> Iterator {
    Iterator()
  }

  struct Iterator: AsyncIteratorProtocol {
    private let queue = DispatchQueue(label: "standard input")

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> String? {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: readLine()) }
      }
    }
  }
}
