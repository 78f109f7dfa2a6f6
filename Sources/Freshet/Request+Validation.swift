import Foundation

extension Request {
  /// Checks what could be dangerous to send.
  ///
  /// Every transport does this before it touches the network.
  ///
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the scheme is neither `http` nor `https`,
  ///   the host is missing, or the method, a header's name or a header's value holds characters
  ///   that would break out of its place (RFC 9110 sections 5.1, 5.5 and 9.1). The message names
  ///   the field and never shows its value.
  public func validate() throws(FreshetError) {
    guard let scheme = url.scheme, ["http", "https"].contains(scheme.lowercased()) else {
      throw invalid("its scheme is not http or https")
    }
    guard let host = url.host(percentEncoded: true), !host.isEmpty else {
      throw invalid("it has no host")
    }
    guard ASCII.isToken(method.rawValue) else {
      throw invalid("its method is not a token")
    }
    for field in headers {
      guard ASCII.isToken(field.name.rawValue) else {
        throw invalid(
          "the name of its header field “\(field.name.rawValue.filter(\.isLetter))” is not a token"
        )
      }
      guard field.value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
        throw invalid("the value of its header field “\(field.name)” holds a control character")
      }
    }
  }

  private func invalid(_ reason: String) -> FreshetError {
    .invalidRequest(reason, url: Redaction.shown(url))
  }
}
