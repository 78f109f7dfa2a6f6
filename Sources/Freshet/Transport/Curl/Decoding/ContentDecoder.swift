#if os(Linux)
import Foundation

/// Undoes the content codings of a body (RFC 9110 section 8.4), and knows whether all of it has come.
///
/// libcurl could decode too, but takes a body that ends in the middle of its encoded form for a whole
/// one.
final class ContentDecoder {
  /// What became of a piece.
  enum Outcome {
    /// All of it has been decoded.
    case decoded
    /// It is not in the coding that it was said to be in.
    case corrupt
    /// Whoever takes what comes out wants no more of it.
    case refused
  }

  typealias Sink = (UnsafeRawBufferPointer) -> Bool

  /// The names of the codings, for people.
  let name: String
  /// The last one that was applied comes first.
  private let codecs: [any ContentCodec]

  /// Makes one for the values of a response's `Content-Encoding`.
  ///
  /// - Returns: `nil` if one of the codings is not known, or if there are more than five of them,
  ///   which nobody needs who has no harm in mind.
  init?(_ values: [String]) {
    let names = values.flatMap { FieldList.members(of: $0) }
      .map { ASCII.lowercased($0) }
      .filter { $0 != "identity" }
    guard names.count <= 5 else { return nil }
    var codecs: [any ContentCodec] = []
    for name in names.reversed() {
      guard let codec = Self.codec(name) else { return nil }
      codecs.append(codec)
    }
    self.codecs = codecs
    name = names.joined(separator: ", ")
  }

  /// Whether there is anything to undo.
  var isIdle: Bool { codecs.isEmpty }

  /// Whether the encoded form has come to its end.
  var isComplete: Bool { codecs.allSatisfy(\.isComplete) }

  /// What is asked for.
  static let offer: String = {
    var names = ["gzip", "deflate"]
    if BrotliCodec.isAvailable { names.append("br") }
    if ZstandardCodec.isAvailable { names.append("zstd") }
    return names.joined(separator: ", ")
  }()

  func decode(_ bytes: UnsafeRawBufferPointer, into sink: Sink) -> Outcome {
    guard !bytes.isEmpty else { return .decoded }
    return decode(bytes, with: codecs[...], into: sink)
  }

  private func decode(
    _ bytes: UnsafeRawBufferPointer,
    with codecs: ArraySlice<any ContentCodec>,
    into sink: Sink
  ) -> Outcome {
    guard let codec = codecs.first else { return sink(bytes) ? .decoded : .refused }
    let others = codecs.dropFirst()
    // What a later one says is said of the whole.
    var inner = Outcome.decoded
    let outcome = codec.decode(bytes) { piece in
      inner = decode(piece, with: others, into: sink)
      return inner == .decoded
    }
    return inner == .decoded ? outcome : inner
  }

  private static func codec(_ name: String) -> (any ContentCodec)? {
    switch name {
    case "gzip", "x-gzip": ZlibCodec(isGzip: true)
    case "deflate": ZlibCodec(isGzip: false)
    case "br": BrotliCodec()
    case "zstd": ZstandardCodec()
    default: nil
    }
  }
}

/// Undoes one content coding.
protocol ContentCodec: AnyObject {
  /// Whether the encoded form has come to its end.
  var isComplete: Bool { get }

  /// Decodes a piece, and hands out what it becomes until that is refused.
  func decode(
    _ bytes: UnsafeRawBufferPointer,
    into sink: ContentDecoder.Sink
  )
    -> ContentDecoder.Outcome
}

extension ContentCodec {
  /// Room for what comes out of one step.
  static var roomSize: Int { 64 << 10 }
}
#endif
