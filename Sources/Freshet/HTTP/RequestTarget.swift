import FreshetEssentials

/// The target of a request: a URL, or a path that a client resolves against its base URL.
enum RequestTarget: Sendable {
  case url(URL)
  case path(RequestPath)

  /// Creates a target; a full URL needs no base.
  init(_ path: RequestPath) {
    if path.isFullURL, let url = try? path.url(base: nil) {
      self = .url(url)
    } else {
      self = .path(path)
    }
  }

  /// The URL; for a path, a relative one that is only for display.
  var url: URL {
    switch self {
    case .url(let url): url
    case .path(let path): path.relativeURL
    }
  }
}

extension Request {
  /// Resolves the path; if that fails, the request keeps the reason and is not sent.
  mutating func resolve(against base: URL) {
    let path: RequestPath
    switch target {
    case .path(let own): path = own
    case .url(let url):
      guard url.scheme == nil else { return }
      path = RequestPath(raw: url.relativeString)
    }
    do {
      target = .url(try path.url(base: base))
    } catch {
      guard case .invalidRequest(let reason, _) = error else { return }
      target = .path(path.refused(reason))
    }
  }
}

extension RequestPath {
  func refused(_ reason: String) -> RequestPath {
    RequestPath(text: text, problem: problem ?? reason, isAtOrigin: isAtOrigin)
  }

  func appending(query: String) -> RequestPath {
    let text = Self.appending(query: query, to: text)
    return RequestPath(text: text, problem: problem, isAtOrigin: isAtOrigin)
  }

  /// Returns the text with parameters added between its query, which stays as it is, and its fragment.
  static func appending(query added: String, to text: String) -> String {
    guard !added.isEmpty else { return text }
    let (path, query, fragment) = split(text[...])
    var result = String(path) + "?"
    if let query, !query.isEmpty {
      result += query
      if query.utf8.last != UInt8(ascii: "&") { result += "&" }
    }
    result += added
    if let fragment { result += "#" + fragment }
    return result
  }

  fileprivate var relativeURL: URL {
    // With a colon in the first segment, the part before it would be a scheme (RFC 3986 section 4.2).
    let first = text.prefix { !"/?#".contains($0) }
    let isAmbiguous = text.isEmpty || first.contains(":") && !isFullURL
    return URL(string: isAmbiguous ? "./" + text : text) ?? URL(filePath: "/")
  }
}
