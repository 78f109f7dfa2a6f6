#if Redis && !canImport(Darwin)
import Freshet
import FreshetEssentials

/// A request as an entry of the frontier's stream has it.
struct FrontierBody: Sendable, Hashable {
  /// The version of the format.
  static let version = "1"

  let data: Data

  /// - Throws: ``/Freshet/FreshetError/invalidRequest(_:url:)`` for a request with a body.
  init(_ request: Request) throws(FreshetError) {
    guard let data = RequestRecord(request).flatMap(Self.encode) else {
      let url = Redaction.shown(request.url)
      throw .invalidRequest("a frontier takes requests without a body", url: url)
    }
    self.data = data
  }

  init(data: Data) {
    self.data = data
  }

  /// The request; `nil` if the data is damaged.
  var request: Request? { record?.request }

  /// The digest by which two requests are the same: of the method, the URL without its fragment, and the
  /// header fields.
  var key: Data {
    let bytes = record.flatMap { Self.encode($0.essence) } ?? data
    return SHA256Hasher.digest(of: bytes).bytes.prefix(16)
  }

  private var record: RequestRecord? { try? JSONDecoder().decode(RequestRecord.self, from: data) }

  private static func encode(_ record: RequestRecord) -> Data? {
    let encoder = JSONEncoder()
    // Equal requests are equal bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try? encoder.encode(record)
  }
}
#endif
