import Foundation
import Freshet

/// A list with one URL on each line; empty lines and those that begin with `#` are ignored.
enum URLList {
  /// Reads a list, which may be a pipe, to its end.
  static func read(_ list: Input) throws(UsageError) -> [String] {
    do throws(Descriptor.Code) {
      return String(decoding: try list.read(), as: UTF8.self).split(whereSeparator: \.isNewline)
        .compactMap { url(in: $0) }
    } catch {
      throw UsageError("the list \(list.name) cannot be read: \(error.reason)")
    }
  }

  static func url(in line: some StringProtocol) -> String? {
    let text = line.trimmingCharacters(in: blanks)
    return text.isEmpty || text.hasPrefix("#") ? nil : text
  }

  /// White space, and the byte order mark with which some editors begin a file.
  private static let blanks = CharacterSet.whitespacesAndNewlines.union(["\u{FEFF}"])
}

/// A source of URLs, in the order in which they are taken.
enum URLPiece: Sendable, Equatable {
  case texts([String])
  /// The lines of standard input, read on demand.
  case standardInput
}

/// The URLs of several sources, one after the other on demand.
struct URLLines: AsyncSequence, Sendable {
  let pieces: [URLPiece]

  func makeAsyncIterator() -> Iterator {
    Iterator(pieces: pieces[...])
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate var pieces: ArraySlice<URLPiece>
    fileprivate var texts: ArraySlice<String> = []
    private let input = InputLines()

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> String? {
      while true {
        if let text = texts.popFirst() { return text }
        switch pieces.first {
        case nil: return nil
        case .texts(let more): texts = more[...]
        case .standardInput:
          if let url = try await url() { return url }
        }
        pieces.removeFirst()
      }
    }

    /// Returns the next URL of standard input.
    private func url() async throws(FreshetError) -> String? {
      while let line = try await input.next() {
        if let url = URLList.url(in: line) { return url }
      }
      return nil
    }
  }
}
