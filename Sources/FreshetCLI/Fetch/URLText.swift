import Freshet

/// URLs as people write them.
enum URLText {
  /// The request for a URL; where only its scheme is missing, the failure says what to write.
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

  /// Why the text is no URL, if it is none.
  static func problem(_ text: String) -> FreshetError? {
    do throws(FreshetError) {
      _ = try request(.get, text)
      return nil
    } catch {
      return error
    }
  }

  /// Whether it begins with what may be a host, and perhaps a port.
  private static func isWithoutScheme(_ text: String) -> Bool {
    let host = text.prefix { !":/?#".contains($0) }
    guard host == "localhost" || host.contains("."), !host.hasPrefix("."),
      host.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" })
    else { return false }
    let rest = text.dropFirst(host.count)
    return !rest.hasPrefix(":") || rest.dropFirst().first?.isNumber == true
  }
}
