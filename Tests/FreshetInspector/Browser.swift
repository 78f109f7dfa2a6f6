import Foundation
import FreshetTesting
import TestSupport
import Testing

/// Headless Chromium, which shows one page at a time.
struct Browser {
  static let path = ["chromium", "chromium-browser", "google-chrome"].lazy
    .compactMap { Program.path($0) }.first

  enum Scheme: Int {
    case dark = 0
    case light = 1
  }

  private let profile: TemporaryDirectory

  init() throws {
    profile = try TemporaryDirectory()
  }

  private func run(_ arguments: [String], _ url: URL) async throws -> ProgramRun {
    let usual = [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
      "--user-data-dir=\(profile.url.path)", "--virtual-time-budget=8000",
    ]
    let path = try #require(Self.path)
    return try await ProgramRun(path, usual + arguments + [url.absoluteString])
  }

  /// The document after its script has run.
  func document(_ url: URL) async throws -> Document {
    let run = try await run(["--dump-dom"], url)
    try #require(run.status == 0, "\(run.error)")
    return Document(text: run.text)
  }

  /// A picture of the page, as PNG.
  func screenshot(_ url: URL, width: Int, height: Int, _ scheme: Scheme, to file: URL) async throws
  {
    let run = try await run(
      [
        "--window-size=\(width),\(height)", "--screenshot=\(file.path)",
        "--blink-settings=preferredColorScheme=\(scheme.rawValue)",
      ],
      url
    )
    try #require(run.status == 0, "\(run.error)")
  }
}

/// A document as a browser has written it.
struct Document {
  let text: String

  /// The text of the elements with a tag inside of the first element with an identifier.
  func texts(_ tag: String, inside id: String, of outer: String) -> [String] {
    guard let start = text.range(of: "id=\"\(id)\""),
      let end = text.range(of: "</\(outer)>", range: start.upperBound..<text.endIndex)
    else { return [] }
    return Self.elements(tag, String(text[start.upperBound..<end.lowerBound]))
  }

  /// The text of the cells of each row of the table of calls.
  var rows: [[String]] {
    guard let start = text.range(of: "<tbody id=\"rows\">"),
      let end = text.range(of: "</tbody>", range: start.upperBound..<text.endIndex)
    else { return [] }
    let body = text[start.upperBound..<end.lowerBound]
    return body.components(separatedBy: "<tr ").dropFirst().map { Self.elements("td", $0) }
  }

  private static func elements(_ tag: String, _ text: String) -> [String] {
    text.components(separatedBy: "<\(tag)").dropFirst()
      .compactMap { piece in
        guard let open = piece.firstIndex(of: ">"), let close = piece.range(of: "</\(tag)>") else {
          return nil
        }
        return plain(String(piece[piece.index(after: open)..<close.lowerBound]))
      }
  }

  private static func plain(_ markup: String) -> String {
    markup.replacing(/<[^>]*>/, with: "")
      .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&nbsp;", with: "\u{A0}")
      .replacing("&amp;", with: "&")
  }
}
