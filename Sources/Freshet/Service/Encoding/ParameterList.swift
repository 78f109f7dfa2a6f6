/// The fields of an `Encodable` value in the order in which it encodes them, with their types.
///
/// Queries, forms and path patterns are made from it. Fields that are `nil` are included, so that an
/// encoding can send or omit them. Dictionaries, which have no order, are sorted by key, and sets of
/// texts and numbers by their text, so that equal values make equal lists. A dictionary whose keys
/// encode themselves as neither text nor whole numbers is a list of alternating keys and values.
///
/// ```swift
/// let (path, rest) = try users.split(search)
/// let request = try Request(.get, path.url(base: base)).adding(query: rest)
/// ```
public struct ParameterList: Sendable, Hashable {
  struct Field: Sendable, Hashable {
    let key: String
    let node: ParameterNode
  }

  let fields: [Field]
  /// The reason why a value cannot be encoded, or `nil`.
  let problem: String?

  init(fields: [Field], problem: String? = nil) {
    self.fields = fields
    self.problem = problem
  }

  /// Reads the fields of a value.
  ///
  /// - Parameter value: A value that encodes fields: a structure, a dictionary with keys of text, or
  ///   another list.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the value is an array, a single text or
  ///   number, or cannot be encoded; floating-point numbers have to be finite.
  public init(_ value: some Encodable) throws(FreshetError) {
    let node: ParameterNode
    do {
      node = try ParameterEncoder.node(of: value)
    } catch {
      throw .unencodable("parameters", error)
    }
    switch node {
    case .keyed(let fields), .dictionary(let fields): self.init(fields: fields)
    case .list([]): self.init(fields: [])
    default:
      let reason = "its parameters are a \(type(of: value)), which has no named fields"
      throw .invalidRequest(reason, url: "")
    }
  }

  /// The names of the fields, in their order.
  public var names: [String] { fields.map(\.key) }

  /// A Boolean value that indicates whether there is no field.
  public var isEmpty: Bool { fields.isEmpty }
}

extension ParameterList: ExpressibleByDictionaryLiteral {
  /// Makes a list of names and values in their order, such as `["page": 2, "tags": ["a", "b"]]`.
  ///
  /// A value that cannot be encoded makes encoding the list fail.
  public init(dictionaryLiteral fields: (String, any Encodable)...) {
    self.init(fields)
  }
}

extension ParameterList {
  /// Makes a list of names and values in their order, as a literal does.
  ///
  /// ```swift
  /// let filters = choices.map { ($0.name, $0.values) }
  /// let request = try Request(.get, search).adding(query: ParameterList(filters))
  /// ```
  ///
  /// - Parameter fields: The names and values; a name may be repeated. A value that cannot be encoded makes encoding
  ///   the list fail.
  public init(_ fields: some Sequence<(String, any Encodable)>) {
    var known: [Field] = []
    var problem: String?
    for (key, value) in fields {
      do {
        known.append(Field(key: key, node: try ParameterEncoder.node(of: value)))
      } catch {
        problem = FreshetError.unencodable("parameter “\(key)”", error).invalidity
      }
    }
    self.init(fields: known, problem: problem)
  }
}

extension ParameterList: Encodable {
  /// Encodes the fields like the value that they come from.
  public func encode(to encoder: any Encoder) throws {
    if let problem { throw FreshetError.invalidRequest(problem, url: "") }
    try ParameterNode.keyed(fields).encode(to: encoder)
  }
}
