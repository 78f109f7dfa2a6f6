#if !canImport(Darwin)
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
    by size: Int,
    work: Int = .max,
    limits: ResponseLimits = ResponseLimits()
  ) throws -> Decoded {
    let decoder = try #require(ContentDecoder(codings))
    var decoded = Decoded(decoder: decoder)
    let bounds = ContentBounds(limits, received: Int64(data.count))
    var rest = data
    while !rest.isEmpty || decoder.isWaiting {
      let piece = decoder.isWaiting ? Data() : Data(rest.prefix(size))
      rest = rest.dropFirst(piece.count)
      var left = work
      decoded.turns += 1
      decoded.outcome = piece.withUnsafeBytes { bytes in
        let take: ContentDecoder.Sink = { output in
          decoded.output.append(contentsOf: output)
          return .more
        }
        return decoder.isWaiting
          ? decoder.goOn(&left, within: bounds, into: take)
          : decoder.decode(bytes, &left, within: bounds, into: take)
      }
      decoded.excess = max(decoded.excess, -left)
      switch decoded.outcome {
      case .decoded, .waiting: break
      default: return decoded
      }
    }
    return decoded
  }

  private struct Decoded {
    let decoder: ContentDecoder
    var output = Data()
    var outcome = ContentDecoder.Outcome.decoded
    var turns = 0
    /// How much more was done in a turn than was to be done.
    var excess = 0

    var isComplete: Bool { decoder.isComplete }

    func ended(_ outcome: ContentDecoder.Outcome) -> Bool { "\(outcome)" == "\(self.outcome)" }
  }

  @Test(arguments: forms, [1, 7, 100_000])
  func `decodes pieces of any size and detects the end`(
    form: (coding: String, name: String),
    size: Int
  ) throws {
    let data = EncodedText.encoded(form.name)
    for work in [1, .max] {
      let decoded = try decode(data, [form.coding], by: size, work: work)

      #expect(decoded.output == Data(EncodedText.text.utf8))
      #expect(decoded.isComplete)
    }
  }

  @Test(arguments: forms) func `is not complete before its last byte`(
    form: (coding: String, name: String)
  ) throws {
    let data = EncodedText.encoded(form.name)
    let hasTwo = form.name.contains("members") || form.name.contains("frames")

    // Bare deflate has no trailer, and its last block may end before its last byte.
    let ends = try (1..<data.count - 1)
      .filter { count in
        let decoded = try decode(data.prefix(count), [form.coding], by: 400)
        return decoded.ended(.decoded) && decoded.isComplete
      }

    // The first of two is whole before the second begins.
    #expect(ends.count == (hasTwo ? 1 : 0), "\(ends) of \(data.count)")
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"])
  func `data after the end is corrupt, or never complete`(coding: String) throws {
    let decoded = try decode(
      EncodedText.encoded(coding) + Data("noise".utf8),
      [coding],
      by: 30
    )

    if decoded.ended(.decoded) { #expect(!decoded.isComplete) }
  }

  @Test(arguments: [0x25, 0x26, 0x27] as [UInt8])
  func `refuses frames from before the standard, after skippable ones as well`(
    version: UInt8
  ) throws {
    let skippable = Data([0x5F, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 0])
    // A block of one byte, whose window has 128 MiB in the last of the versions, and the end.
    let old = Data([version, 0xB5, 0x2F, 0xFD, 0, 0x88, 0x40, 0, 1, 0x41, 0xC0, 0, 0])

    for size in [1, 100] {
      #expect(try decode(old, ["zstd"], by: size).ended(.corrupt))
      #expect(try decode(skippable + old, ["zstd"], by: size).ended(.corrupt))
      let frame = skippable + EncodedText.encoded("zstd") + skippable
      #expect(try decode(frame, ["zstd"], by: size).output == Data(EncodedText.text.utf8))
    }
  }

  @Test func `decodes several codings, the last one first`() throws {
    let twice = Gzip.stored(EncodedText.encoded("br"))

    for values in [["br, gzip"], ["br", "gzip"], ["BR", "identity , x-gzip"]] {
      for work in [1, 5_000, .max] {
        let decoded = try decode(twice, values, by: 11, work: work)
        #expect(decoded.output == Data(EncodedText.text.utf8))
        #expect(decoded.isComplete)
      }
    }
  }

  @Test(arguments: [["rot13"], ["gzip, gzip, gzip"], ["br", "identity, zstd", "deflate"]])
  func `refuses unknown and too many codings`(values: [String]) {
    #expect(ContentDecoder(values) == nil)
  }

  @Test func `does at most the requested work in one turn, for any output`() throws {
    let share = 1 << 20
    let forms = [
      (EncodedText.deflated(emptyBlocks: 8 << 20), ["gzip", "gzip"]),
      (EncodedText.deflated(emptyMembers: 40_000), ["gzip", "gzip"]),
      (EncodedText.deflated(zeros: 8 << 20), ["gzip"]),
      (EncodedText.gzip(EncodedText.deflated(zeros: 8 << 20)), ["gzip", "gzip"]),
    ]
    for (data, codings) in forms {
      let decoded = try decode(data, codings, by: .max, work: share)

      #expect(decoded.isComplete)
      #expect(decoded.turns >= 8)
      // One step more: sixteen KiB of input at eight, and a room.
      #expect(decoded.excess <= 256 << 10)
    }
  }

  @Test func `counts the output of each coding and each member`() throws {
    let forms = [
      (EncodedText.gzip(EncodedText.deflated(zeros: 40 << 20)), ["gzip", "gzip"]),
      (EncodedText.deflated(emptyBlocks: 40 << 20), ["gzip", "gzip"]),
      (EncodedText.deflated(emptyMembers: 140_000), ["gzip", "gzip"]),
      (EncodedText.deflated(emptyMembers: 140_000), ["deflate", "gzip"]),
      (EncodedText.deflated(emptyFrames: 140_000), ["zstd", "gzip"]),
      (EncodedText.heavy, ["br", "zstd"]),
    ]
    for (data, codings) in forms {
      let decoded = try decode(data, codings, by: 16_384)

      let isRefused =
        codings == ["deflate", "gzip"] ? ContentDecoder.Outcome.corrupt : .exceededTotal
      #expect(decoded.ended(isRefused), "\(codings): \(decoded.outcome)")
      #expect(decoded.output.count <= 33 << 20)
    }
  }

  @Test func `counts an inner coding against the limit of the body`() throws {
    var limits = ResponseLimits()
    limits.bodyBytes = 1_000

    let large = try decode(
      EncodedText.deflated(emptyBlocks: 1 << 20),
      ["gzip", "gzip"],
      by: 16_384,
      limits: limits
    )
    // A form that is somewhat larger than the body is none of those.
    let small = try decode(
      Gzip.stored(Gzip.stored(Data(count: 1_000))),
      ["gzip", "gzip"],
      by: 16_384,
      limits: limits
    )

    #expect(large.ended(.exceededInner))
    #expect(small.isComplete && small.output.count == 1_000)
  }

  @Test func `accepts many members with content`() throws {
    let line = EncodedText.gzip(Data("A line of a log, with some words in it.\n".utf8))
    let data = Data((0..<50_000).map { _ in line }.joined())

    let decoded = try decode(data, ["gzip"], by: 16_384)

    #expect(decoded.isComplete && decoded.output.count == 50_000 * 40)
  }

  @Test(arguments: [BodyDemand.none, .pause])
  func `stops when the output is refused or has to wait`(demand: BodyDemand) throws {
    let decoder = try #require(ContentDecoder(["gzip"]))
    let bounds = ContentBounds(ResponseLimits(), received: 1 << 20)
    var (work, count) = (Int.max, 0)

    let outcome = EncodedText.deflated(zeros: 1 << 20)
      .withUnsafeBytes { bytes in
        decoder.decode(bytes, &work, within: bounds) { piece in
          count += piece.count
          return demand
        }
      }

    #expect("\(outcome)" == (demand == .pause ? "waiting" : "refused"))
    #expect(count > 0 && count <= 64 << 10)
  }
}
#endif
