package import FreshetEssentials

/// The header fields and the body of a request or a response, in a form for logs.
///
/// It contains no secrets: the values of fields and members with secret names are hidden, and only the
/// length and the digest of a body that cannot be parsed are shown, see ``SecretRules``.
public struct DiagnosticMessage: Sendable, Hashable {
  /// The header fields, without secrets.
  public let headers: HTTPHeaders
  /// The body, without secrets; empty if there is none.
  ///
  /// A body that is larger than the limit of ``Diagnostics``, not text, or streamed is replaced by a
  /// short description in angle brackets.
  public let body: String

  /// Makes a message of fields and the beginning of a body that has `count` bytes.
  package init(
    _ headers: HTTPHeaders,
    _ body: Data,
    count: Int64,
    limit: Int,
    _ rules: SecretRules
  ) {
    self.headers = rules.redacted(headers)
    if count > Int64(limit) {
      self.body = "<\(count) bytes>"
    } else if body.isEmpty {
      self.body = ""
    } else {
      switch rules.shown(body: body, contentType: headers[.contentType]) {
      case .text(let text): self.body = text
      case .bytes(let bytes): self.body = "<\(bytes.count) bytes>"
      case .withheld(let withheld): self.body = "\(withheld)"
      }
    }
  }

  /// Makes the message of a request; a body that is larger than the limit in bytes is not shown.
  package init(_ request: Request, limit: Int) {
    let headers = request.fieldsWithContentType
    let rules = request.secretRules()
    switch request.body?.source {
    case nil: self.init(headers, Data(), count: 0, limit: limit, rules)
    case .bytes(let data):
      self.init(headers, data, count: Int64(data.count), limit: limit, rules)
    case .file: self.init(rules.redacted(headers), body: "<a file>")
    case .stream: self.init(rules.redacted(headers), body: "<a stream>")
    }
  }

  private init(_ headers: HTTPHeaders, body: String) {
    self.headers = headers
    self.body = body
  }
}

extension DiagnosticMessage: CustomStringConvertible {
  /// The fields and the body on one line.
  public var description: String {
    let fields = headers.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
    return Printable.line(body.isEmpty ? "[\(fields)]" : "[\(fields)] \(body)")
  }
}
