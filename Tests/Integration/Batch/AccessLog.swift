import Foundation
import FreshetTesting

/// What nginx has been asked, and what it has sent.
struct AccessLog {
  struct Line {
    let method: Substring
    let path: Substring
    let status: Int
    let bytes: Int
    /// The `Range` field, `-` if there was none.
    let range: Substring
  }

  let lines: [Line]

  /// Reads what has been written so far, but the lines before.
  init(of nginx: Nginx, after count: Int = 0) throws {
    let text = try String(
      contentsOf: nginx.folder.url.appending(path: "bytes.log"),
      encoding: .utf8
    )
    lines = text.split(separator: "\n").dropFirst(count)
      .compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 5, let status = Int(words[2]), let bytes = Int(words[3]) else {
          return nil
        }
        return Line(
          method: words[0],
          path: words[1],
          status: status,
          bytes: bytes,
          range: words[4]
        )
      }
  }

  /// The `GET`s of a path.
  func downloads(of url: URL) -> [Line] {
    downloads[Substring(url.path)] ?? []
  }

  /// The `GET`s by path.
  var downloads: [Substring: [Line]] {
    Dictionary(grouping: lines.filter { $0.method == "GET" }, by: \.path)
  }
}
