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
    guard let data = Self.encode(request) else {
      throw .invalidRequest("a frontier takes requests without a body", url: "\(request.url)")
    }
    self.data = data
  }

  init(data: Data) {
    self.data = data
  }

  /// The request; `nil` if the data is damaged.
  var request: Request? {
    (try? JSONDecoder().decode(RequestRecord.self, from: data))?.request
  }

  /// The digest by which two requests are the same: neither the priority nor a fragment counts.
  var key: Data {
    var bytes = data
    if var request {
      request.priority = .normal
      if var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false),
        parts.fragment != nil
      {
        parts.fragment = nil
        if let url = parts.url { request.url = url }
      }
      bytes = Self.encode(request) ?? data
    }
    return SHA256Hasher.digest(of: bytes).bytes.prefix(16)
  }

  private static func encode(_ request: Request) -> Data? {
    let encoder = JSONEncoder()
    // Equal requests are equal bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return RequestRecord(request).flatMap { try? encoder.encode($0) }
  }
}
#endif
