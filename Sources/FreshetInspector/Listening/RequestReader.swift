import Freshet

/// Splits the bytes of a connection into requests; a value without a socket.
struct RequestReader {
  enum Next {
    /// More bytes are needed.
    case incomplete
    case request(InspectorRequest)
    /// The bytes are no request that is answered; the connection is closed after the status.
    case invalid(HTTPStatus)
  }

  private var buffer: [UInt8] = []
  /// The bytes of a body that are still to be dropped.
  private var rest = 0

  /// The largest head, and the largest body, in bytes.
  static let maximumHead = 16 << 10
  static let maximumBody = 64 << 10

  mutating func append(_ bytes: [UInt8]) {
    let dropped = min(rest, bytes.count)
    rest -= dropped
    buffer += bytes.dropFirst(dropped)
  }

  mutating func next() -> Next {
    guard rest == 0 else { return .incomplete }
    guard let end = endOfHead else {
      return buffer.count > Self.maximumHead ? .invalid(HTTPStatus(431)) : .incomplete
    }
    guard end <= Self.maximumHead, let head = String(validating: buffer[..<end], as: UTF8.self),
      let request = Self.request(head)
    else { return .invalid(HTTPStatus(400)) }
    buffer.removeFirst(end + 4)
    // A body in chunks would have to be read to find its end.
    guard !request.headers.contains(.transferEncoding) else { return .invalid(HTTPStatus(411)) }
    let lengths = request.headers[values: .contentLength]
    guard lengths.count <= 1, let length = Int(lengths.first ?? "0"), length >= 0 else {
      return .invalid(HTTPStatus(400))
    }
    guard length <= Self.maximumBody else { return .invalid(HTTPStatus(413)) }
    let dropped = min(length, buffer.count)
    buffer.removeFirst(dropped)
    rest = length - dropped
    return .request(request)
  }

  private var endOfHead: Int? {
    buffer.firstRange(of: "\r\n\r\n".utf8)?.lowerBound
  }

  private static func request(_ head: String) -> InspectorRequest? {
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
    let words = (lines.popFirst() ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[1].hasPrefix("/"), words[2].hasPrefix("HTTP/1.") else {
      return nil
    }
    var headers = HTTPHeaders()
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), ASCII.isToken(line[..<colon]) else { return nil }
      let value = line[line.index(after: colon)...]
      headers.add(String(value), for: HTTPHeaders.Name(String(line[..<colon])))
    }
    return InspectorRequest(
      method: HTTPMethod(String(words[0])),
      target: String(words[1]),
      headers: headers
    )
  }
}
