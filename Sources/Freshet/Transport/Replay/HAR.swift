/// The parts of an HTTP archive (HAR 1.2) that Freshet writes and reads.
///
/// Other tools omit fields that they have no values for: what can be missing is optional.
struct HAR: Codable {
  var log: Log

  struct Log: Codable {
    var version = "1.2"
    var creator: Creator?
    var entries: [Entry]
  }

  struct Creator: Codable {
    var name: String
    var version: String
  }

  struct Entry: Codable {
    var startedDateTime: String?
    var time: Double?
    var request: Request
    var response: Response
    var cache: Written<[String: String]>? = Written([:])
    var timings: Written<Timings>?
    var comment: Written<String>?
  }

  /// A part that is written, and is not read, whatever other tools have there.
  struct Written<Value: Encodable & Sendable>: Codable {
    private let value: Value?

    init(_ value: Value) {
      self.value = value
    }

    init(from decoder: any Decoder) {
      value = nil
    }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  struct Request: Codable {
    var method: String
    var url: String
    var httpVersion: String?
    var cookies: Written<[Pair]>? = Written([])
    var headers: [Pair]?
    var queryString: [Pair]?
    var postData: PostData?
    var headersSize: Written<Int>? = Written(-1)
    var bodySize: Int64?
  }

  struct Response: Codable {
    var status: Int
    var statusText: String?
    var httpVersion: String?
    var cookies: Written<[Pair]>? = Written([])
    var headers: [Pair]?
    var content: Content?
    var redirectURL: String?
    var headersSize: Written<Int>? = Written(-1)
    var bodySize: Int64?
    /// The reason why there was no response; browsers use the same name.
    var failure: String?

    private enum CodingKeys: String, CodingKey {
      case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize
      case bodySize
      case failure = "_error"
    }
  }

  struct Pair: Codable {
    var name: String
    var value: String
  }

  struct PostData: Codable {
    var mimeType: String?
    var text: String?
    /// The encoding of binary bodies, an extension: the format has no encoding here.
    var bytesEncoding: String?
    /// The SHA-256 of a body that is not shown; an extension too.
    var digest: String?
    var comment: Written<String>?

    private enum CodingKeys: String, CodingKey {
      case mimeType, text, comment
      case bytesEncoding = "_encoding"
      case digest = "_sha256"
    }
  }

  struct Content: Codable {
    var size: Int64?
    var mimeType: String?
    var text: String?
    var encoding: String?
    var comment: String?
  }

  struct Timings: Encodable {
    var dns: Double
    var connect: Double
    var ssl: Double
    var send: Double
    var wait: Double
    var receive: Double
  }
}
