#if os(Linux)
import Foundation
import FreshetTesting
import Testing

@testable import Freshet

@Suite struct ContentDecoderTests {
  static let forms = [
    ("gzip", "gzip"), ("gzip", "gzip, members"), ("deflate", "deflate"),
    ("deflate", "deflate, bare"), ("br", "br"), ("zstd", "zstd"), ("zstd", "zstd, frames"),
  ]

  /// What comes out, and how it ended, if the encoded form comes in pieces.
  private func decode(
    _ data: Data,
    _ codings: [String],
    by size: Int
  ) throws -> (Data, ContentDecoder.Outcome, ContentDecoder) {
    let decoder = try #require(ContentDecoder(codings))
    var output = Data()
    var rest = data
    while !rest.isEmpty {
      let piece = Data(rest.prefix(size))
      rest = rest.dropFirst(size)
      let outcome = piece.withUnsafeBytes { bytes in
        decoder.decode(bytes) { decoded in
          output.append(contentsOf: decoded)
          return true
        }
      }
      guard case .decoded = outcome else { return (output, outcome, decoder) }
    }
    return (output, .decoded, decoder)
  }

  @Test(arguments: forms, [1, 7, 100_000])
  func `decodes what comes in pieces of any size, and knows its end`(
    form: (coding: String, name: String),
    size: Int
  ) throws {
    let data = EncodedText.encoded(form.name)
    let (output, _, decoder) = try decode(data, [form.coding], by: size)

    #expect(output == Data(EncodedText.text.utf8))
    #expect(decoder.isComplete)
  }

  @Test(arguments: forms) func `is not complete before its last byte`(
    form: (coding: String, name: String)
  ) throws {
    let data = EncodedText.encoded(form.name)

    // Bare deflate has no trailer, and its last block may end before its last byte.
    for count in stride(from: 1, to: data.count - 1, by: 13) {
      let (_, outcome, decoder) = try decode(data.prefix(count), [form.coding], by: 50)
      if form.name.contains("members") || form.name.contains("frames") {
        // A whole one before the next is whole.
        guard !decoder.isComplete else { continue }
      }
      guard case .decoded = outcome else { continue }
      #expect(!decoder.isComplete, "\(count) of \(data.count)")
    }
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"])
  func `what comes after the end is corrupt, or never complete`(coding: String) throws {
    let (_, outcome, decoder) = try decode(
      EncodedText.encoded(coding) + Data("noise".utf8),
      [coding],
      by: 30
    )

    if case .decoded = outcome { #expect(!decoder.isComplete) }
  }

  @Test func `undoes several codings, the last one first`() throws {
    let twice = Gzip.stored(EncodedText.encoded("br"))

    for values in [["br, gzip"], ["br", "gzip"], ["BR", "identity , x-gzip"]] {
      let (output, _, decoder) = try decode(twice, values, by: 11)
      #expect(output == Data(EncodedText.text.utf8))
      #expect(decoder.isComplete)
    }
  }

  @Test(arguments: [["rot13"], ["gzip, gzip, gzip, gzip, gzip, gzip"]])
  func `refuses what it does not know, and too many`(values: [String]) {
    #expect(ContentDecoder(values) == nil)
  }

  @Test func `stops when what comes out is refused`() throws {
    let decoder = try #require(ContentDecoder(["gzip"]))

    let outcome = EncodedText.encoded("gzip").withUnsafeBytes { decoder.decode($0) { _ in false } }

    guard case .refused = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }
}
#endif
