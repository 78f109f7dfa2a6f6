import FreshetEssentials

extension SecretRules {
  /// Returns a body in the form in which it may be shown.
  ///
  /// JSON, JSON lines, events of JSON, forms, and multipart bodies of these are parsed, and shown
  /// without secrets. ``unparsedBodies`` decides about all others.
  func shown(body: Data, contentType: String?) -> ShownBody {
    if body.isEmpty { return .text("") }
    if hidesNothing {
      return String(validating: body, as: UTF8.self).map(ShownBody.text) ?? .bytes(body)
    }
    if let text = parsed(body, contentType: contentType) { return .text(text) }
    guard unparsedBodies == .shown else { return .withheld(WithheldBody(body)) }
    return String(validating: body, as: UTF8.self).map { .text(masked($0)) } ?? .bytes(body)
  }

  /// Returns a body of text in the form in which it may be shown, as text.
  func redacted(body: String, contentType: String?) -> String {
    switch shown(body: Data(body.utf8), contentType: contentType) {
    case .text(let text): text
    case .bytes: body
    case .withheld(let withheld): withheld.description
    }
  }

  /// Returns text of a response's body without the secrets of its request, which it may repeat.
  package func hidingSecrets(
    in text: String,
    of head: ResponseHead,
    sent headers: HTTPHeaders
  ) -> String {
    hidingSecrets(of: Request(head.url, headers: headers), answeredWith: head).withoutSecrets(text)
  }

  /// Returns a text in which the text after names of secrets is hidden, as far as they are found.
  func masked(_ text: String) -> String {
    let names = values.names
    return withoutSecrets(SecretMask.masked(text) { names.contain($0) })
  }

  /// Returns the body without its secrets; `nil` if it cannot be parsed.
  func parsed(_ body: Data, contentType: String?, depth: Int = 0) -> String? {
    guard depth < 4 else { return nil }
    let type = contentType.flatMap(MediaType.init)
    let first = body.first { !ASCII.isSpace($0) && $0 != 0x0A && $0 != 0x0D }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      || type?.subtype.contains("json") == true
    {
      return json([UInt8](body)) ?? jsonLines(body)
    }
    switch (type?.type, type?.subtype) {
    case ("application", "x-www-form-urlencoded"):
      guard let text = String(validating: body, as: UTF8.self) else { return nil }
      return values.pairs(text[...], values.names) ?? text
    case ("text", "event-stream"):
      return EventStreamRedaction(values: values).text(of: body)
    case ("multipart", let subtype?):
      let multipart = MultipartRedaction(
        rules: self,
        boundary: type?["boundary"] ?? "",
        isForm: subtype == "form-data",
        depth: depth
      )
      return multipart.text(of: body)
    default:
      return nil
    }
  }

  private func json(_ bytes: [UInt8]) -> String? {
    let json = JSONRedaction(bytes, rules: values)
    return json.isWhole ? json.text : nil
  }

  /// Redacts one JSON value per line, which a record separator may precede (RFC 7464).
  private func jsonLines(_ body: Data) -> String? {
    var shown: [String] = []
    for line in body.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let value = line.first == 0x1E ? line.dropFirst() : line
      let isEmpty = value.allSatisfy { ASCII.isSpace($0) || $0 == 0x0D }
      guard let text = isEmpty ? "" : json([UInt8](value)) else { return nil }
      shown.append((line.first == 0x1E ? "\u{1E}" : "") + text)
    }
    return shown.joined(separator: "\n")
  }
}
