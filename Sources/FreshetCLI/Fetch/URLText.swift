import Freshet

/// URLs as people write them.
enum URLText {
  /// Returns the request for a URL; if only its scheme is missing, the failure suggests one.
  static func request(
    _ method: HTTPMethod,
    _ text: String
  ) throws(FreshetError) -> Request {
    do throws(FreshetError) {
      return try Request(method, text)
    } catch .invalidRequest(_, let url) where isWithoutScheme(text) {
      throw .invalidRequest("its URL has no scheme; write https://\(text)", url: url)
    }
  }

  /// Returns the reason why the text is not a URL, or `nil`.
  static func problem(_ text: String) -> FreshetError? {
    do throws(FreshetError) {
      _ = try request(.get, text)
      return nil
    } catch {
      return error
    }
  }

  /// Returns a Boolean value that indicates whether it begins with a possible host, and optionally a port.
  private static func isWithoutScheme(_ text: String) -> Bool {
    let host = text.prefix { !":/?#".contains($0) }
    guard host == "localhost" || host.contains("."), !host.hasPrefix("."),
      host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" })
    else { return false }
    let rest = text.dropFirst(host.count)
    return !rest.hasPrefix(":") || rest.dropFirst().first?.isNumber == true
  }
}
