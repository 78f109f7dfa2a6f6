/// The header fields of a message: ordered, case-insensitive by name, and with repeated fields kept separate.
///
/// ```swift
/// var headers: HTTPHeaders = [.accept: "application/json"]
/// headers.add("a=1", for: "X-Tag")
/// headers.add("b=2", for: "X-Tag")
/// headers[values: "x-tag"]   // ["a=1", "b=2"]
/// ```
public struct HTTPHeaders: Sendable {
  /// One field line.
  public struct Field: Sendable, Hashable {
    /// The name of the field.
    public let name: Name
    /// The value of the field, without surrounding white space.
    public let value: String

    /// Creates a field; its value is checked when a request is sent.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - value: The value of the field; spaces and tabs around it are removed.
    public init(name: Name, value: String) {
      self.name = name
      let isTrimmed =
        value.utf8.first.map { !ASCII.isSpace($0) } ?? true
        && value.utf8.last.map { !ASCII.isSpace($0) } ?? true
      self.value = isTrimmed ? value : String(ASCII.trimmed(value[...]))
    }

    /// Creates a field with a value that has no white space around it.
    init(name: Name, trimmed value: String) {
      self.name = name
      self.value = value
    }

    /// Compares the name without regard to case, and the value by its bytes.
    public static func == (left: Field, right: Field) -> Bool {
      left.name == right.name && left.value.hasSameBytes(as: right.value)
    }
  }

  private enum Storage {
    case list([Field])
    case received(ReceivedFields)
  }

  private var storage: Storage

  /// Creates headers without fields.
  public init() {
    storage = .list([])
  }

  /// Creates headers with these fields, in this order.
  public init(_ fields: some Sequence<Field>) {
    storage = .list(Array(fields))
  }

  /// Creates headers with the fields of a head.
  init(_ received: ReceivedFields) {
    storage = .received(received)
  }

  private var fields: [Field] {
    switch storage {
    case .list(let fields): fields
    case .received(let received): received.fields
    }
  }

  /// Changes the list of the fields in place.
  private mutating func change(_ body: (inout [Field]) -> Void) {
    var fields = fields
    // Otherwise the list would be copied.
    storage = .list([])
    body(&fields)
    storage = .list(fields)
  }

  /// The first value of a field, or `nil`; setting it replaces all its lines, at the position of the first.
  public subscript(name: Name) -> String? {
    get {
      switch storage {
      case .list(let fields): fields.first { $0.name == name }?.value
      case .received(let received): received.value(of: name)
      }
    }
    set {
      guard let newValue else { return remove(name) }
      change { fields in
        let field = Field(name: name, value: newValue)
        guard let index = fields.firstIndex(where: { $0.name == name }) else {
          return fields.append(field)
        }
        fields[index] = field
        fields[(index + 1)...].removeAll { $0.name == name }
      }
    }
  }

  /// The values of all lines of a field, in order.
  public subscript(values name: Name) -> [String] {
    switch storage {
    case .list(let fields): fields.compactMap { $0.name == name ? $0.value : nil }
    case .received(let received): received.values(of: name)
    }
  }

  /// Returns the values of all lines joined by `", "`, or `nil` (RFC 9110 section 5.3).
  ///
  /// Do not use it for `Set-Cookie`, whose values contain commas.
  public func combined(_ name: Name) -> String? {
    let values = self[values: name]
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Appends a line, and keeps others of the same name.
  public mutating func add(_ value: String, for name: Name) {
    change { $0.append(Field(name: name, value: value)) }
  }

  /// Removes all lines of a field.
  public mutating func remove(_ name: Name) {
    change { $0.removeAll { $0.name == name } }
  }

  /// Returns whether there is a field with a name.
  public func contains(_ name: Name) -> Bool {
    switch storage {
    case .list(let fields): fields.contains { $0.name == name }
    case .received(let received): received.position(of: name) != nil
    }
  }

  /// Returns the headers with each field of `other` set, in place of lines with the same name.
  ///
  /// Lines that `other` does not name stay first and in order; those of `other` follow, with repeated
  /// ones kept separate.
  public func merging(_ other: HTTPHeaders) -> HTTPHeaders {
    var merged = self
    merged.change { fields in
      for field in other { fields.removeAll { $0.name == field.name } }
      fields += other.fields
    }
    return merged
  }
}

extension HTTPHeaders: Hashable {
  /// Compares the fields in their order, the names without regard to case.
  public static func == (left: Self, right: Self) -> Bool { left.fields == right.fields }

  /// Hashes the fields in their order.
  public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The position of the first field.
  public var startIndex: Int { 0 }
  /// The position after the last field.
  public var endIndex: Int {
    switch storage {
    case .list(let fields): fields.count
    case .received(let received): received.count
    }
  }
  /// The field at a position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates headers from a literal; names may be repeated.
  public init(dictionaryLiteral elements: (Name, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}
