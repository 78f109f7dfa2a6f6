import FreshetEssentials

extension Request {
  /// Checks that the request is safe to send.
  ///
  /// Every transport does this before it uses the network.
  ///
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the URL is not absolute, not `http` or
  ///   `https`, contains a user or password, which belong in the `Authorization` field, or has a host
  ///   that could be decoded to another one (`ex%61mple.org`, `0x7f.1`, an IPv6 zone); if the method,
  ///   the name or value of a header field, or the body's media type contains characters that would
  ///   break the message (RFC 9110 sections 5.1, 5.5 and 9.1); if the headers declare another framing
  ///   than that of the body; or if a `GET` or `HEAD` has a multipart form. The message names the field
  ///   and never shows its value. Non-ASCII bytes in values are allowed (RFC 9110 section 5.5).
  public func validate() throws(FreshetError) {
    if case .path(let path) = target { _ = try path.url(base: nil) }
    if let problem = URLCheck.problem(with: url) ?? headerProblem ?? bodyProblem {
      throw .invalidRequest(problem, url: Redaction.shown(url))
    }
  }

  private var headerProblem: String? {
    guard ASCII.isToken(method.rawValue) else {
      return "its method is not a token"
    }
    for field in headers {
      guard ASCII.isToken(field.name.rawValue) else {
        let shown = String(decoding: field.name.rawValue.utf8.filter(ASCII.isToken), as: UTF8.self)
        return "the name of its header field “\(shown.prefix(64))” is not a token"
      }
      guard field.value.utf8.allSatisfy({ !ASCII.isControl($0) || $0 == 0x09 }) else {
        return "the value of its header field “\(field.name)” contains a control character"
      }
    }
    return nil
  }

  private var bodyProblem: String? {
    if let type = body?.contentType, !type.isValid {
      return "its body's media type is not valid"
    }
    // RFC 9110 section 9.3.1: content in a GET has no meaning, and some servers end the connection.
    if body?.contentType?.isForm == true, method == .get || method == .head {
      return "it is a \(method) with a multipart form; send the form by POST, PUT or PATCH"
    }
    // With a wrong length, the rest of the body could pass as the next request.
    if headers.contains(.transferEncoding) {
      return "its header field “Transfer-Encoding” is set by the transport; remove it"
    }
    let length = body == nil ? 0 : body?.length
    for text in headers[values: .contentLength] {
      guard let announced = ASCII.integer(text), announced == length else {
        return "its header field “Content-Length” differs from the length of its body; remove it"
      }
    }
    return nil
  }
}

extension MediaType {
  /// A Boolean value that indicates whether it is `multipart/form-data`.
  fileprivate var isForm: Bool { type == "multipart" && subtype == "form-data" }
}
