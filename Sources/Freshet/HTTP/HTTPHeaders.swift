/// The header fields of a message: ordered, case-insensitive by name, repeated fields kept apart.
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
    /// The field's name.
    public let name: Name
    /// The field's value, without white space around it.
    public let value: String

    /// Makes a field; its value is checked when a request is sent.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The field's value; spaces and tabs around it are removed.
    public init(name: Name, value: String) {
      self.name = name
      let isTrimmed =
        value.utf8.first.map { !ASCII.isSpace($0) } ?? true
        && value.utf8.last.map { !ASCII.isSpace($0) } ?? true
      self.value = isTrimmed ? value : String(ASCII.trimmed(value[...]))
    }
  }

  private var fields: [Field]

  /// Makes headers without fields.
  public init() {
    fields = []
  }

  /// Makes headers of these fields, in this order.
  public init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// The first value of the field, or `nil`; setting replaces all its lines, in the first one's place.
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

  /// The values of all lines of the field, in order.
  public subscript(values name: Name) -> [String] {
    fields.compactMap { $0.name == name ? $0.value : nil }
  }

  /// The values of all lines joined by `", "`, or `nil` (RFC 9110 section 5.3).
  ///
  /// Not for `Set-Cookie`, whose values hold commas.
  public func combined(_ name: Name) -> String? {
    guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
    return fields[(first + 1)...]
      .reduce(fields[first].value) { combined, field in
        field.name == name ? "\(combined), \(field.value)" : combined
      }
  }

  /// Appends a line, beside others of the same name.
  public mutating func add(_ value: String, for name: Name) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes all lines of the field.
  public mutating func remove(_ name: Name) {
    fields.removeAll { $0.name == name }
  }

  /// Whether the field is there.
  public func contains(_ name: Name) -> Bool {
    fields.contains { $0.name == name }
  }

  /// Sets each field of `other`, in place of lines with the same name.
  ///
  /// Lines of this that `other` does not name stay in front and in order; those of `other` follow,
  /// repeated ones kept apart.
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
  /// Makes headers of a literal; names may repeat.
  public init(dictionaryLiteral elements: (Name, String)...) {
    self.init(elements.map { Field(name: $0.0, value: $0.1) })
  }
}
