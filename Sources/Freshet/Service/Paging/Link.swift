import FreshetEssentials

/// One link of a `Link` field (RFC 8288 section 3).
struct Link: Equatable {
  /// The target without spaces around it, relative to the response's URL.
  let target: String
  /// The relation types in lower case; spaces and tabs separate them.
  let relations: [String]
  /// The resource that the link is about, if it is not this one.
  let anchor: String?

  /// Reads the links of a field's value, and skips malformed ones.
  static func links(in value: String) -> [Link] {
    var links: [Link] = []
    var rest = value[...]
    var quotes = FieldList.Quotes()
    while let open = rest.utf8.firstIndex(of: UInt8(ascii: "<")) {
      let target = rest[rest.utf8.index(after: open)...]
      guard let close = target.utf8.firstIndex(of: UInt8(ascii: ">")) else { break }
      let behind = target[target.utf8.index(after: close)...]
      let end = FieldList.separator(ASCII.comma, in: behind.utf8, &quotes) ?? behind.endIndex
      let parameters = behind[..<end]
      links.append(Link(target[..<close], parameters))
      rest = behind[parameters.endIndex...]
    }
    return links
  }

  /// Returns a Boolean value that indicates whether the target can be another page: an http or https URL.
  func leadsToPage(from url: URL) -> Bool {
    guard !target.isEmpty else { return false }
    // A malformed URL is refused by the caller.
    guard let scheme = URL(string: target, relativeTo: url)?.scheme else { return true }
    return URLOrigin.port(of: scheme) != nil
  }

  private init(_ target: Substring, _ text: Substring) {
    self.target = String(ASCII.trimmed(target))
    var relations: [String]?
    var anchor: String?
    for case (let name, let written?) in FieldList.parts(of: text).map(FieldList.parameter)
    where !written.isEmpty {
      let value = FieldList.unquoted(written) ?? String(written)
      switch name {
      // Of several, the first counts (section 3.3).
      case "rel" where relations == nil:
        relations = value.utf8.split(whereSeparator: ASCII.isSpace)
          .map { ASCII.lowercased(Substring($0)) }
      case "anchor": anchor = value
      default: break
      }
    }
    self.relations = relations ?? []
    self.anchor = anchor
  }
}
