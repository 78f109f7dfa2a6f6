import FreshetEssentials

/// The values of the secrets of a request, which are hidden where its response repeats them.
///
/// A value of less than 8 bytes, or a word of less than 20, is too common for that: `key=username`
/// does not hide all user names.
struct SecretValues: Sendable, Hashable {
  private var values: [[UInt8]] = []
  /// The first eight bytes of each value.
  private var heads: Set<UInt64> = []

  private static let minimumCount = 8
  private static let tokenCount = 20
  /// The number of bytes by which a value is found; what follows is hidden as far as it is the same.
  ///
  /// Comparing all of a long value that repeats itself would take quadratic time.
  private static let matchCount = 64
  private static let limit = 32
  private static let bodyLimit = 64 << 10

  /// Returns a text with the values in it replaced, in one pass; `nil` if there are none in it.
  func hidden(in text: String, by placeholder: String = Redaction.placeholder) -> String? {
    guard !values.isEmpty, text.utf8.count >= Self.minimumCount else { return nil }
    let bytes = Array(text.utf8)
    var shown: [UInt8] = []
    var position = 0
    var head: UInt64 = 0
    for index in bytes.indices {
      head = head << 8 | UInt64(bytes[index])
      let start = index + 1 - Self.minimumCount
      guard start >= position, heads.contains(head) else { continue }
      let rest = bytes[start...]
      let counts = values.filter { rest.starts(with: $0.prefix(Self.matchCount)) }
        .map { zip($0, rest).prefix { $0 == $1 }.count }
      guard let count = counts.max() else { continue }
      shown += bytes[position..<start] + placeholder.utf8
      position = start + count
    }
    return position == 0 ? nil : String(decoding: shown + bytes[position...], as: UTF8.self)
  }

  /// Inserts a value if it can be told from other text.
  private mutating func insert(_ text: some StringProtocol) {
    let value = Array(text.utf8)
    let isWord = value.allSatisfy { ASCII.isLetter($0) || "-_".utf8.contains($0) }
    guard value.count >= (isWord ? Self.tokenCount : Self.minimumCount),
      values.count < Self.limit, !values.contains(value)
    else { return }
    values.append(value)
    heads.insert(value.prefix(Self.minimumCount).reduce(0) { $0 << 8 | UInt64($1) })
  }
}

// MARK: - Requests

extension SecretValues {
  /// Collects the values of what the rules hide in a request, and in the header fields and the URL
  /// with which it was sent.
  init(of request: Request?, answeredWith head: ResponseHead?, by rules: SecretRules) {
    let values = rules.values
    let sent = head.map { Array($0.notes.sent ?? [:]) + $0.notes.earlier } ?? []
    for field in Array(request?.headers ?? [:]) + sent where rules.hides(field.name) {
      if field.name == .cookie {
        for cookie in field.value.split(separator: ";") {
          insert(pairs: ASCII.trimmed(cookie), by: values.names)
        }
      } else {
        insert(credential: field.value)
      }
    }
    if let credential = head?.notes.credential { insert(credential: credential) }
    for url in [request?.url, head?.url].compactMap(\.self) {
      guard let query = RequestPath.split(url.absoluteString[...]).query else { continue }
      insert(pairs: query, by: values.parameters)
    }
    if let request, let body = request.body?.bytes, body.count <= Self.bodyLimit {
      insert(body: body, of: request.fieldsWithContentType[.contentType], by: values)
    }
  }

  /// Inserts what follows the scheme, if there is one, and a password in it.
  private mutating func insert(credential: String) {
    let words = credential.split(separator: " ", maxSplits: 1)
    insert(words.last ?? "")
    guard ASCII.lowercased(words.first ?? "") == "basic" else { return }
    let user = Data(base64Encoded: String(words.last ?? "")) ?? Data()
    let password = user.drop { $0 != UInt8(ascii: ":") }.dropFirst()
    insert(String(decoding: password, as: UTF8.self))
  }

  private mutating func insert(pairs: Substring, by names: SecretRules.Names) {
    for pair in pairs.utf8.split(separator: UInt8(ascii: "&")).map(Substring.init) {
      guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = pair[pair.utf8.index(after: equals)...]
      guard names.hideEncoded(value, of: pair[..<equals]) else { continue }
      insert(PercentEncoding.form.decode(value))
      insert(value)
    }
  }

  private mutating func insert(body: Data, of type: String?, by rules: ValueRedaction) {
    if type.flatMap(MediaType.init)?.subtype == "x-www-form-urlencoded" {
      return insert(pairs: Substring(decoding: body, as: UTF8.self), by: rules.names)
    }
    for secret in JSONRedaction([UInt8](body), rules: rules).hiddenValues { insert(secret) }
  }
}
