import FreshetEssentials

extension Request {
  /// Returns a command for a POSIX shell that sends the same request with `curl`.
  ///
  /// The body of a file is read from that file, and that of a stream from standard input. Bytes that
  /// are not UTF-8 are written with `printf`. A body that the rules do not show is replaced by its
  /// length and digest, see ``SecretRules/unparsedBodies-swift.property``.
  ///
  /// - Parameter rules: The rules for secrets; ``SecretRules/standard`` by default. With
  ///   ``SecretRules/none`` the command can be run unchanged, and must be kept secret.
  /// - Returns: The command on one line, with its arguments quoted.
  public func curlCommand(redacting rules: SecretRules = .standard) -> String {
    curlCommand(redacting: rules, bodyLimit: .max)
  }

  /// Returns the command without a body that is longer than so many bytes.
  package func curlCommand(
    redacting rules: SecretRules = .standard,
    bodyLimit: Int
  ) -> String {
    let rules = secretRules(rules)
    var words = ["curl"]
    var prefix = ""
    if method == .head {
      words.append("--head")
    } else if method != (body == nil ? .get : .post) {
      words += ["--request", Self.quoted(method.rawValue)]
    }
    for field in rules.redacted(fieldsWithContentType) {
      // curl omits a field that ends with a colon; a semicolon sends it with an empty value.
      let text = field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
      words += ["--header", Self.quoted(text)]
    }
    if body != nil, !fieldsWithContentType.contains(.contentType) {
      // By default curl declares a form.
      words += ["--header", Self.quoted("Content-Type:")]
    }
    switch body?.source {
    case nil: break
    case .file(let url)?: words += ["--data-binary", Self.quoted("@\(url.path)")]
    case .stream?: words += ["--data-binary", "@-"]
    case .bytes(let data)? where data.count > bodyLimit:
      words += ["--data-raw", Self.quoted("<\(data.count) bytes>")]
    case .bytes(let data)?:
      switch rules.shown(body: data, contentType: fieldsWithContentType[.contentType]) {
      case .text(let text) where !text.utf8.contains(0):
        words += ["--data-raw", Self.quoted(text)]
      case .withheld(let withheld):
        words += ["--data-raw", Self.quoted(withheld.description)]
      case .text(let text):
        prefix = Self.printf(Data(text.utf8))
        words += ["--data-binary", "@-"]
      case .bytes(let data):
        prefix = Self.printf(data)
        words += ["--data-binary", "@-"]
      }
    }
    if redirects.maximumCount > 0 { words.append("--location") }
    if hasDotSegments { words.append("--path-as-is") }
    if let total = timeouts.total { words += ["--max-time", "\(total / .seconds(1))"] }
    words.append(Self.quoted(rules.redacted(url: url.absoluteString)))
    return prefix + words.joined(separator: " ")
  }

  /// A Boolean value that indicates whether cURL would change the path (RFC 3986 section 5.2.4).
  private var hasDotSegments: Bool {
    let path = URLParts(url.absoluteString)?.rest.prefix { $0 != "?" && $0 != "#" } ?? ""
    return path.split(separator: "/")
      .contains { [".", ".."].contains(PercentEncoding.text(of: $0)) }
  }

  /// The fields, with the type of the body.
  var fieldsWithContentType: HTTPHeaders {
    guard let type = body?.contentType, !headers.contains(.contentType) else { return headers }
    var fields = headers
    fields.add(type.description, for: .contentType)
    return fields
  }

  private static func printf(_ bytes: Data) -> String {
    "printf '\(bytes.map { "\\" + $0.padded(to: 3, radix: 8) }.joined())' | "
  }

  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty && text.utf8.allSatisfy { ASCII.isToken($0) && !"!#$&'*`|~".utf8.contains($0) }
    if isPlain { return text }
    var quoted = "'"
    // Scalars, not characters: for a shell, a quotation mark followed by a combining mark is still one.
    for scalar in text.unicodeScalars {
      if scalar == "'" {
        quoted += "'\\''"
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "'"
  }
}
