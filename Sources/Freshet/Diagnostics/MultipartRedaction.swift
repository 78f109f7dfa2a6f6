import FreshetEssentials

/// Redacts a multipart body (RFC 2046 section 5.1) part by part.
///
/// Names and types are shown. The content of parts with secret names is hidden; that of others is
/// redacted by its type.
struct MultipartRedaction {
  let rules: SecretRules
  let boundary: String
  /// A Boolean value that indicates whether the parts are fields of a form (RFC 7578).
  let isForm: Bool
  let depth: Int

  /// Returns the redacted body as text; `nil` if it is not a valid multipart body.
  func text(of body: Data) -> String? {
    guard !boundary.isEmpty, boundary.utf8.count <= 70 else { return nil }
    let line = "\r\n--\(boundary)"
    let pieces = (Data("\r\n".utf8) + body).pieces(between: Data(line.utf8))
    guard pieces.count >= 2, pieces[0].isEmpty, let last = pieces.last,
      last.starts(with: "--".utf8), last.dropFirst(2).allSatisfy({ Self.space.contains($0) })
    else { return nil }
    var shown = ""
    for piece in pieces.dropFirst().dropLast() {
      let rest = piece.drop { $0 == 0x20 || $0 == 0x09 }
      guard rest.starts(with: "\r\n".utf8), let part = part(Data(rest.dropFirst(2))) else {
        return nil
      }
      shown += "--\(boundary)\r\n\(part)\r\n"
    }
    return shown + "--\(boundary)--\r\n"
  }

  private static let space: [UInt8] = [0x20, 0x09, 0x0D, 0x0A]

  private func part(_ part: Data) -> String? {
    let pieces = (Data("\r\n".utf8) + part).pieces(between: Data("\r\n\r\n".utf8), limit: 1)
    guard pieces.count == 2, let headers = Self.headers(pieces[0]) else { return nil }
    guard let disposition = Self.disposition(headers[values: "Content-Disposition"], isForm) else {
      return nil
    }
    let lines = rules.redacted(headers).map { "\($0.name.rawValue): \($0.value)\r\n" }.joined()
    return lines + "\r\n" + content(pieces[1], headers, disposition)
  }

  // MARK: Content

  private func content(
    _ content: Data,
    _ headers: HTTPHeaders,
    _ disposition: Disposition
  ) -> String {
    let names = rules.values.names
    let text = String(validating: content, as: UTF8.self)
    if names.hideEncoded((text ?? "")[...], of: disposition.name[...]) {
      return Redaction.placeholder
    }
    let withheld = "\(WithheldBody(content))"
    let coding = ASCII.lowercased(headers["Content-Transfer-Encoding"] ?? "binary")
    guard ["7bit", "8bit", "binary"].contains(coding) else { return withheld }
    let type = headers[.contentType]
    if let shown = rules.parsed(content, contentType: type, depth: depth + 1) { return shown }
    guard let text else { return withheld }
    let isText = type.map { ASCII.lowercased($0).hasPrefix("text/plain") } ?? true
    if isForm, isText, !disposition.isFile { return rules.values.redacted(text) ?? text }
    return rules.unparsedBodies == .shown ? rules.masked(text) : withheld
  }

  // MARK: Header fields

  /// Parses the header fields of a part; `nil` if a line is not valid.
  private static func headers(_ block: Data) -> HTTPHeaders? {
    var fields: [HTTPHeaders.Field] = []
    for line in block.pieces(between: Data("\r\n".utf8)) where !line.isEmpty {
      guard let text = String(validating: line, as: UTF8.self),
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), ASCII.isToken(text[..<colon]),
        !text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 })
      else { return nil }
      let value = ASCII.trimmed(text[colon...].dropFirst())
      fields.append(.init(name: HTTPHeaders.Name(String(text[..<colon])), value: String(value)))
    }
    return HTTPHeaders(fields)
  }

  private struct Disposition {
    /// All names of the part, concatenated.
    var name = ""
    var isFile = false
  }

  private static func disposition(_ values: [String], _ isForm: Bool) -> Disposition? {
    var disposition = Disposition()
    if values.isEmpty { return isForm ? nil : disposition }
    for value in values {
      // The parameters have the same syntax as those of a media type.
      let type = value.utf8.prefix { $0 != UInt8(ascii: ";") }
      guard
        let parsed = MediaType(
          "x/" + ASCII.trimmed(value[..<type.endIndex]) + value[type.endIndex...]
        )
      else { return nil }
      for parameter in parsed.parameters {
        let key = parameter.name.prefix { $0 != "*" }
        if key == "name" { disposition.name += parameter.value }
        if key == "filename" { disposition.isFile = true }
      }
    }
    return isForm && disposition.name.isEmpty ? nil : disposition
  }
}

extension Data {
  /// Returns the pieces between the occurrences of a separator, splitting at most `limit` times.
  fileprivate func pieces(between separator: Data, limit: Int = .max) -> [Data] {
    var pieces: [Data] = []
    var start = startIndex
    while pieces.count < limit, let place = firstRange(of: separator, in: start..<endIndex) {
      pieces.append(self[start..<place.lowerBound])
      start = place.upperBound
    }
    return pieces + [self[start...]]
  }
}
