import FreshetEssentials

/// The parts of an HTTP archive (HAR 1.2) that Freshet writes and reads.
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
    var startedDateTime: String
    var time: Double
    var request: Request
    var response: Response
    var cache = Cache()
    var timings: Timings?
    var comment: String?
  }

  struct Cache: Codable {
    init() {}
    init(from decoder: any Decoder) {}
  }

  struct Request: Codable {
    var method: String
    var url: String
    var httpVersion: String
    var cookies: [Pair] = []
    var headers: [Pair]
    var queryString: [Pair]
    var postData: PostData?
    var headersSize = -1
    var bodySize: Int64
  }

  struct Response: Codable {
    var status: Int
    var statusText: String
    var httpVersion: String
    var cookies: [Pair] = []
    var headers: [Pair]
    var content: Content
    var redirectURL: String
    var headersSize = -1
    var bodySize: Int64
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
    var mimeType: String
    var text: String?
    /// The encoding of binary bodies, an extension: the format has no encoding here.
    var bytesEncoding: String?
    /// The SHA-256 of a body that is not shown; an extension too.
    var digest: String?
    var comment: String?

    private enum CodingKeys: String, CodingKey {
      case mimeType, text, comment
      case bytesEncoding = "_encoding"
      case digest = "_sha256"
    }
  }

  struct Content: Codable {
    var size: Int64
    var mimeType: String
    var text: String?
    var encoding: String?
    var comment: String?
  }

  struct Timings: Codable {
    var dns: Double
    var connect: Double
    var ssl: Double
    var send: Double
    var wait: Double
    var receive: Double
  }
}

// Other tools omit fields that they have no values for.

extension HAR.Entry {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    startedDateTime = try values.decodeIfPresent(String.self, forKey: .startedDateTime) ?? ""
    time = try values.decodeIfPresent(Double.self, forKey: .time) ?? 0
    request = try values.decode(HAR.Request.self, forKey: .request)
    response = try values.decode(HAR.Response.self, forKey: .response)
  }
}

extension HAR.Request {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    method = try values.decode(String.self, forKey: .method)
    url = try values.decode(String.self, forKey: .url)
    httpVersion = try values.decodeIfPresent(String.self, forKey: .httpVersion) ?? ""
    headers = try values.decodeIfPresent([HAR.Pair].self, forKey: .headers) ?? []
    queryString = try values.decodeIfPresent([HAR.Pair].self, forKey: .queryString) ?? []
    postData = try values.decodeIfPresent(HAR.PostData.self, forKey: .postData)
    bodySize = try values.decodeIfPresent(Int64.self, forKey: .bodySize) ?? -1
  }
}

extension HAR.Response {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    status = try values.decode(Int.self, forKey: .status)
    statusText = try values.decodeIfPresent(String.self, forKey: .statusText) ?? ""
    httpVersion = try values.decodeIfPresent(String.self, forKey: .httpVersion) ?? ""
    headers = try values.decodeIfPresent([HAR.Pair].self, forKey: .headers) ?? []
    content =
      try values.decodeIfPresent(HAR.Content.self, forKey: .content)
      ?? HAR.Content(size: 0, mimeType: "")
    redirectURL = try values.decodeIfPresent(String.self, forKey: .redirectURL) ?? ""
    bodySize = try values.decodeIfPresent(Int64.self, forKey: .bodySize) ?? -1
    failure = try values.decodeIfPresent(String.self, forKey: .failure)
  }
}

extension HAR.Content {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    size = try values.decodeIfPresent(Int64.self, forKey: .size) ?? -1
    mimeType = try values.decodeIfPresent(String.self, forKey: .mimeType) ?? ""
    text = try values.decodeIfPresent(String.self, forKey: .text)
    encoding = try values.decodeIfPresent(String.self, forKey: .encoding)
    comment = try values.decodeIfPresent(String.self, forKey: .comment)
  }
}

extension HAR.PostData {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    mimeType = try values.decodeIfPresent(String.self, forKey: .mimeType) ?? ""
    text = try values.decodeIfPresent(String.self, forKey: .text)
    bytesEncoding = try values.decodeIfPresent(String.self, forKey: .bytesEncoding)
    digest = try values.decodeIfPresent(String.self, forKey: .digest)
  }
}
