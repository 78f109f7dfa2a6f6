public import Freshet

/// A request to an ``Inspector``, as an HTTP server has received it.
public struct InspectorRequest: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The target of the request line: the path, which begins with `/` and the token, and the query.
  public var target: String
  /// The header fields.
  public var headers: HTTPHeaders

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: The method; `GET` by default.
  ///   - target: The target of the request line, without the path under which the inspector is mounted.
  ///   - headers: The header fields, with `Host`.
  public init(method: HTTPMethod = .get, target: String, headers: HTTPHeaders) {
    self.method = method
    self.target = target
    self.headers = headers
  }
}

extension InspectorRequest {
  /// A Boolean value that indicates whether the client asks for the end of the connection.
  var closes: Bool { headers.members(of: .connection).contains { $0.lowercased() == "close" } }

  var segments: [Substring] {
    target.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: true)
  }

  var endsWithSlash: Bool { target.prefix { $0 != "?" && $0 != "#" }.hasSuffix("/") }

  func parameter(_ name: String) -> Substring? {
    guard let query = target.split(separator: "?", maxSplits: 1).dropFirst().first else {
      return nil
    }
    return query.split(separator: "&").first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
  }
}
