/// A path with named parameters, which is checked when it is created: `users/:id/files/:name`.
///
/// ```swift
/// let files = try PathPattern("users/:id/files/:name")
/// let path = try files.path(["id": 7, "name": "a/b.txt"])   // users/7/files/a%2Fb.txt
/// ```
///
/// - A parameter is a `:` at the beginning of a segment, followed by a name of ASCII letters, digits
///   and `_` that does not begin with a digit. The rest of the segment is literal, as in `:id.json`. A
///   `:` anywhere else is literal too.
/// - Literals and values are treated as in a ``RequestPath``.
/// - A pattern has no query, which is passed to the request separately. Full URLs may be patterns.
public struct PathPattern: Sendable, Hashable {
  /// The pattern as written.
  public let pattern: String
  /// The names of the parameters, in order.
  public let names: [String]

  private let pieces: [Piece]

  private enum Piece: Sendable, Hashable {
    case literal(String)
    case parameter(String)
  }

  /// Parses a pattern.
  ///
  /// - Parameter pattern: The pattern, such as `users/:id`.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if a `:` at the beginning of a segment is not
  ///   followed by a valid name, if a name occurs twice, or if the pattern contains a `?` or a `#`.
  public init(_ pattern: String) throws(FreshetError) {
    var names: [String] = []
    var pieces: [Piece] = []
    var literal = ""
    guard !pattern.utf8.contains(where: { "?#".utf8.contains($0) }) else {
      throw Self.refused(pattern, "contains a “?” or a “#”; give the query to the request")
    }
    for (index, segment) in pattern.utf8
      .split(
        separator: UInt8(ascii: "/"),
        omittingEmptySubsequences: false
      )
      .enumerated()
    {
      if index > 0 { literal += "/" }
      guard segment.first == UInt8(ascii: ":") else {
        literal += Substring(segment)
        continue
      }
      let name = String(Substring(segment.dropFirst().prefix(while: Self.isName)))
      guard let first = name.utf8.first, !ASCII.isDigit(first) else {
        throw Self.refused(pattern, "has a “:” without a name; write “%3A” for the character")
      }
      guard !names.contains(name) else {
        throw Self.refused(pattern, "has the parameter “\(name)” twice")
      }
      names.append(name)
      pieces += [.literal(literal), .parameter(name)]
      literal = String(Substring(segment.dropFirst(1 + name.utf8.count)))
    }
    self.pattern = pattern
    self.names = names
    self.pieces = pieces + [.literal(literal)]
  }

  static func isName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_")
  }

  static func refused(_ pattern: String, _ reason: String) -> FreshetError {
    .invalidRequest("the path pattern “\(pattern)” \(reason)", url: "")
  }
}

extension PathPattern {
  /// Returns the path with a value for each parameter.
  ///
  /// - Parameter values: A value for each name; for types that are not `LosslessStringConvertible`,
  ///   pass a text such as `uuid.uuidString`.
  /// - Returns: The path. Values that are not allowed in a path, such as an empty one, are refused when
  ///   its URL is created.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if a parameter has no value, if there is a value
  ///   for an unknown name, or if a name occurs twice.
  public func path(
    _ values: KeyValuePairs<String, any LosslessStringConvertible>
  ) throws(FreshetError) -> RequestPath {
    try path(pairs: values.map { ($0.key, $0.value.description) })
  }

  /// Returns the path with a field of a value for each parameter.
  ///
  /// ```swift
  /// struct File: Encodable { var id: Int, name: String }
  /// let path = try files.path(from: File(id: 7, name: "a.txt"))
  /// ```
  ///
  /// - Parameter value: A value with one scalar field, such as text, a number, a Boolean or a date, for
  ///   each parameter, and no others; fields that are `nil` count as missing.
  /// - Returns: The path.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` as ``path(_:)`` does, and if a field has fields
  ///   of its own.
  public func path(from value: some Encodable) throws(FreshetError) -> RequestPath {
    let (path, rest) = try split(value)
    if let surplus = rest.fields.first(where: { !$0.node.isNull }) {
      throw Self.refused(pattern, "has no parameter “\(surplus.key)”")
    }
    return path
  }

  /// Splits the fields of a value into those for the path and the remaining ones.
  ///
  /// A field that is used in the path is not among the remaining ones.
  ///
  /// ```swift
  /// let (path, rest) = try users.split(Search(id: 7, page: 2))   // users/7 and page=2
  /// ```
  ///
  /// - Parameter value: A value with at least one field for each parameter.
  /// - Returns: The path, and the remaining fields in order.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the field of a parameter is missing, is `nil`
  ///   or has fields of its own, or if the value cannot be encoded.
  public func split(
    _ value: some Encodable
  ) throws(FreshetError) -> (path: RequestPath, rest: ParameterList) {
    let list = try ParameterList(value)
    var pairs: [(String, String)] = []
    for field in list.fields where names.contains(field.key) && !field.node.isNull {
      guard let text = field.node.text(QueryEncoding()) else {
        throw Self.refused(pattern, "needs one text for “\(field.key)”, not several fields")
      }
      pairs.append((field.key, text))
    }
    let rest = list.fields.filter { !names.contains($0.key) }
    return (try path(pairs: pairs), ParameterList(fields: rest))
  }

  private func path(pairs: [(name: String, text: String)]) throws(FreshetError) -> RequestPath {
    var values: [String: String] = [:]
    for (name, text) in pairs {
      guard names.contains(name) else {
        throw Self.refused(pattern, "has no parameter “\(name)”")
      }
      guard values.updateValue(text, forKey: name) == nil else {
        throw Self.refused(pattern, "was given “\(name)” twice")
      }
    }
    if let missing = names.first(where: { values[$0] == nil }) {
      throw Self.refused(pattern, "was given no value for “\(missing)”")
    }
    var builder = RequestPathBuilder(capacity: pattern.utf8.count * 2)
    for piece in pieces {
      switch piece {
      case .literal(let text): builder.append(literal: text)
      case .parameter(let name): builder.append(value: values[name] ?? "")
      }
    }
    return builder.finish()
  }
}
