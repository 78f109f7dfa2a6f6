/// The header fields of a message: ordered, case-insensitive by name, and with repeated fields kept separate.
///
/// ```swift
/// var headers: HTTPHeaders = [.accept: "application/json"]
/// headers.add("a=1", for: "X-Tag")
/// headers.add("b=2", for: "X-Tag")
/// headers[values: "x-tag"]   // ["a=1", "b=2"]
/// ```
public struct HTTPHeaders: Sendable, Hashable {
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
  }

  private var fields: [Field]

  /// Creates headers without fields.
  public init() {
    fields = []
  }

  /// Creates headers with these fields, in this order.
  public init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// The first value of a field, or `nil`; setting it replaces all its lines, at the position of the first.
  public subscript(name: Name) -> String? {
    get {
      fields.first { $0.name == name }?.value
    }
    set {
      guard let newValue else { return remove(name) }
      guard let index = fields.firstIndex(where: { $0.name == name }) else {
        return add(newValue, for: name)
      }
      fields[index] = Field(name: name, value: newValue)
      var position = index + 1
      while position < fields.endIndex {
        if fields[position].name == name {
          fields.remove(at: position)
        } else {
          position += 1
        }
      }
    }
  }

  /// The values of all lines of a field, in order.
  public subscript(values name: Name) -> [String] {
    fields.compactMap { $0.name == name ? $0.value : nil }
  }

  /// Returns the values of all lines joined by `", "`, or `nil` (RFC 9110 section 5.3).
  ///
  /// Do not use it for `Set-Cookie`, whose values contain commas.
  public func combined(_ name: Name) -> String? {
    guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
    return fields[(first + 1)...]
      .reduce(fields[first].value) { combined, field in
        field.name == name ? "\(combined), \(field.value)" : combined
      }
  }

  /// Appends a line, and keeps others of the same name.
  public mutating func add(_ value: String, for name: Name) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes all lines of a field.
  public mutating func remove(_ name: Name) {
    fields.removeAll { $0.name == name }
  }

  /// Returns whether there is a field with a name.
  public func contains(_ name: Name) -> Bool {
    fields.contains { $0.name == name }
  }

  /// Returns the headers with each field of `other` set, in place of lines with the same name.
  ///
  /// Lines that `other` does not name stay first and in order; those of `other` follow, with repeated
  /// ones kept separate.
  public func merging(_ other: HTTPHeaders) -> HTTPHeaders {
    var merged = self
    for field in other {
      merged.remove(field.name)
    }
    merged.fields += other.fields
    return merged
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The position of the first field.
  public var startIndex: Int { fields.startIndex }
  /// The position after the last field.
  public var endIndex: Int { fields.endIndex }
  /// The field at a position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates headers from a literal; names may be repeated.
  public init(dictionaryLiteral elements: (Name, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}
