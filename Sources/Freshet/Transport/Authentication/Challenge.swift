/// A demand for authentication by a server or a proxy (RFC 9110 section 11.3).
///
/// ```swift
/// let challenges = Challenge.all(in: response.head.headers)
/// let realm = challenges.first { $0.scheme == "digest" }?.realm
/// ```
public struct Challenge: Sendable, Hashable {
  /// The scheme in lower case, such as `digest`.
  public let scheme: String
  /// The parameters by their names in lower case, unquoted.
  ///
  /// Of a parameter that is repeated, the first value counts.
  public private(set) var parameters: [String: String]
  /// The token in place of parameters, as in `Negotiate YII=`; `nil` if there is none.
  public private(set) var token: String?

  /// The name of the protected area, if the server has given it one.
  public var realm: String? { parameters["realm"] }

  /// Makes a challenge; names are compared without regard to case.
  public init(scheme: String, parameters: [String: String] = [:], token: String? = nil) {
    self.scheme = ASCII.lowercased(scheme)
    let named = parameters.map { (ASCII.lowercased($0), $1) }
    self.parameters = Dictionary(named) { first, _ in first }
    self.token = token
  }

  /// Returns the challenges of a response, in order; one line may hold several.
  ///
  /// Malformed ones are left out.
  ///
  /// - Parameters:
  ///   - headers: The response's fields.
  ///   - name: The field, `WWW-Authenticate` by default; a proxy's is `Proxy-Authenticate`.
  /// - Returns: The challenges.
  public static func all(
    in headers: HTTPHeaders,
    of name: HTTPHeaders.Name = "WWW-Authenticate"
  ) -> [Challenge] {
    var challenges: [Challenge] = []
    for member in headers.members(of: name) {
      let text = member[...]
      let word = Substring(text.utf8.prefix { !ASCII.isSpace($0) && $0 != equals })
      let rest = ASCII.trimmed(text[word.endIndex...])
      if rest.utf8.first == equals {
        // A parameter of the challenge before, unless that is none.
        guard !challenges.isEmpty else { continue }
        challenges[challenges.count - 1].add(text)
      } else {
        var challenge = Challenge(scheme: String(word))
        if isToken(rest) {
          challenge.token = String(rest)
        } else {
          challenge.add(rest)
        }
        challenges.append(challenge)
      }
    }
    return challenges.filter { ASCII.isToken($0.scheme) }
  }

  private static let equals = UInt8(ascii: "=")

  /// A Boolean value that indicates whether the text is a `token68` (RFC 9110 section 11.2).
  private static func isToken(_ text: Substring) -> Bool {
    let padding = text.utf8.reversed().prefix { $0 == equals }.count
    let content = text.utf8.dropLast(padding)
    return !content.isEmpty
      && content.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~+/".utf8.contains($0)
      }
  }

  private mutating func add(_ parameter: Substring) {
    let (name, value) = FieldList.parameter(parameter)
    guard let value, ASCII.isToken(name), parameters[name] == nil else { return }
    parameters[name] = FieldList.unquoted(value) ?? String(value)
  }
}

extension Challenge: CustomStringConvertible {
  /// The scheme and the realm.
  public var description: String {
    realm.map { "\(scheme) realm=\"\(Printable.line($0))\"" } ?? scheme
  }
}
