import Freshet
import FreshetEssentials

/// The request line and the header fields, checked by the rules of RFC 9112 for servers.
struct RequestHead {
  enum Framing: Equatable {
    case length(Int64)
    case chunked
  }

  let method: HTTPMethod
  let target: String
  let path: String
  let minorVersion: Int
  let headers: HTTPHeaders
  let framing: Framing

  /// A Boolean value that indicates whether the client keeps the connection open.
  var keepsAlive: Bool {
    let options = headers.members(of: .connection).map { $0.lowercased() }
    if options.contains("close") { return false }
    return minorVersion == 1 || options.contains("keep-alive")
  }

  /// A Boolean value that indicates whether the client waits for a 100 before it sends the body.
  var expectsContinue: Bool {
    minorVersion == 1
      && headers.members(of: .expect).contains { $0.lowercased() == "100-continue" }
  }

  /// Parses the lines before the empty one.
  ///
  /// - Throws: The status with which an invalid head is refused.
  init(_ bytes: ArraySlice<UInt8>) throws(Refusal) {
    // The last line ends, too.
    var lines = bytes.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false)[...]
    guard let line = lines.popFirst() else { throw Refusal(status: 400) }
    let parts = try Self.line(line).split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isToken(parts[0]), !parts[1].isEmpty,
      parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { throw Refusal(status: 400) }
    method = HTTPMethod(String(decoding: parts[0], as: UTF8.self))
    target = String(decoding: parts[1], as: UTF8.self)
    path = Self.path(of: target)
    minorVersion = try Self.minorVersion(parts[2])
    headers = try Self.fields(lines)
    framing = try Self.framing(headers, minorVersion: minorVersion)
  }

  /// Parses the fields of lines that end with CRLF.
  static func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(Refusal) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for line in lines {
      let line = try Self.line(line)
      guard let colon = line.firstIndex(of: 0x3A) else { throw Refusal(status: 400) }
      let name = line[..<colon]
      let value = line[(colon + 1)...]
      guard Self.isToken(name), value.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
      else { throw Refusal(status: 400) }
      headers.add(
        String(decoding: value, as: UTF8.self),
        for: HTTPHeaders.Name(String(decoding: name, as: UTF8.self))
      )
    }
    return headers
  }

  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(ASCII.isToken)
  }

  private static func line(_ line: ArraySlice<UInt8>) throws(Refusal) -> ArraySlice<UInt8> {
    guard line.last == 0x0D else { throw Refusal(status: 400) }
    return line.dropLast()
  }

  private static func minorVersion(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> Int {
    switch String(decoding: bytes, as: UTF8.self) {
    case "HTTP/1.1": return 1
    case "HTTP/1.0": return 0
    case let text where text.hasPrefix("HTTP/"): throw Refusal(status: 505)
    default: throw Refusal(status: 400)
    }
  }

  /// Returns the path of a target in origin form or, as proxies receive it, absolute form.
  private static func path(of target: String) -> String {
    var path = target.prefix { $0 != "?" && $0 != "#" }
    if !path.hasPrefix("/"), let scheme = path.firstRange(of: "://") {
      path = path[scheme.upperBound...].drop { $0 != "/" }
    }
    return path.isEmpty ? "/" : String(path)
  }

  private static func framing(
    _ headers: HTTPHeaders,
    minorVersion: Int
  ) throws(Refusal) -> Framing {
    guard minorVersion == 0 || headers[values: "Host"].count == 1 else {
      throw Refusal(status: 400)
    }
    let lengths = Set(headers[values: .contentLength])
    guard let coding = headers.combined(.transferEncoding) else {
      guard let text = lengths.first else { return .length(0) }
      guard lengths.count == 1, let length = ASCII.integer(text) else {
        throw Refusal(status: 400)
      }
      return .length(length)
    }
    // A request with both may be an attempt at request smuggling.
    guard lengths.isEmpty, minorVersion == 1 else { throw Refusal(status: 400) }
    guard coding.lowercased() == "chunked" else { throw Refusal(status: 501) }
    return .chunked
  }
}

/// The reason why a request is not answered by its route.
struct Refusal: Error, Equatable {
  let status: HTTPStatus
}
