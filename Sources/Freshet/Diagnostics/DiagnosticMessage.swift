import Foundation

/// The header fields and the body of a request or a response, as a log may show them.
///
/// Nothing in it is a secret: fields and members with such names are hidden, and of what is not understood the
/// length and the digest are shown, see ``SecretRules``.
public struct DiagnosticMessage: Sendable, Hashable {
  /// The header fields, secrets hidden.
  public let headers: HTTPHeaders
  /// The body, secrets hidden; empty if there is none.
  ///
  /// A body that is over the limit of ``Diagnostics``, not text, or streamed is a few words in angle
  /// brackets.
  public let body: String

  init(_ headers: HTTPHeaders, _ body: Data, count: Int64, limit: Int, _ rules: SecretRules) {
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

  init(_ request: Request, limit: Int) {
    var headers = request.headers
    if let type = request.body?.contentType, !headers.contains(.contentType) {
      headers.add(type.description, for: .contentType)
    }
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
  /// The fields and the body in one line.
  public var description: String {
    let fields = headers.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
    return Printable.line(body.isEmpty ? "[\(fields)]" : "[\(fields)] \(body)")
  }
}
