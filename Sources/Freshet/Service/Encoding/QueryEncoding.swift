/// The encoding of fields as the names and values of a query or a form.
///
/// ```swift
/// struct Search: Encodable { var text: String, tags: [String], page: Page }
/// var encoding = QueryEncoding()
/// encoding.arrays = .brackets
/// try encoding.encode(search)   // text=a%20b&tags%5B%5D=x&tags%5B%5D=y&page%5Bsize%5D=20
/// ```
///
/// - The order is that of the declaration, or sorted; it is the same for equal values.
/// - Numbers are written without a locale. Bytes are written as Base64, URLs as text.
/// - Names and values are encoded by RFC 3986 in queries, a space as `%20`, and by WHATWG's rules
///   in forms, a space as `+`. Brackets in names are encoded; servers accept both forms.
/// - Empty arrays and structures without fields send nothing.
public struct QueryEncoding: Sendable, Hashable {
  /// The naming of nested fields; `a[b]` by default.
  public var nesting = Nesting.brackets
  /// The naming of the elements of an array; the repeated name by default.
  public var arrays = Arrays.repeated
  /// The format of Booleans; `true` and `false` by default.
  public var booleans = Booleans.words
  /// The format of dates; ISO 8601 in whole seconds by default.
  public var dates = Dates.iso8601
  /// The representation of `nil`; nothing is sent by default.
  public var nils = Nils.omitted
  /// The order of fields; that of their declaration by default.
  public var order = Order.declared

  /// Makes the default encoding.
  public init() {}

  /// Makes an encoding; the closure changes the default one.
  public init(_ configure: (inout QueryEncoding) -> Void) {
    configure(&self)
  }
}

extension QueryEncoding {
  /// The naming of nested fields.
  public enum Nesting: Sendable, Hashable {
    /// `page[size]=20`
    case brackets
    /// `page.size=20`
    case dots
  }

  /// The naming of the elements of an array.
  public enum Arrays: Sendable, Hashable {
    /// `tag=a&tag=b`
    case repeated
    /// `tag[]=a&tag[]=b`
    case brackets
    /// `tag[0]=a&tag[1]=b`, the only one that keeps the fields of different elements apart.
    case indexed
    /// `tag=a,b`, with commas within the values encoded.
    ///
    /// Elements with fields or elements of their own are refused.
    case commas
  }

  /// The format of Booleans.
  public enum Booleans: Sendable, Hashable {
    /// `true` and `false`
    case words
    /// `1` and `0`
    case numbers
  }

  /// The format of dates, always in UTC.
  public enum Dates: Sendable, Hashable {
    /// `2025-11-21T04:40:00Z`; fractions of a second are truncated.
    ///
    /// Dates before the year 0 or after 9999 are replaced by the first or last second in between.
    case iso8601
    /// `2025-11-21T04:40:00.250Z`; smaller fractions are truncated.
    case iso8601WithMilliseconds
    /// `1763700000` or `1763700000.25`
    case secondsSince1970
    /// `1763700000250`, rounded.
    case millisecondsSince1970
    /// `Fri, 21 Nov 2025 04:40:00 GMT`
    case http
  }

  /// The representation of `nil`.
  public enum Nils: Sendable, Hashable {
    /// Nothing.
    case omitted
    /// The name alone: `page`
    case name
    /// The name with an empty value: `page=`
    case emptyValue
  }

  /// The order of fields.
  public enum Order: Sendable, Hashable {
    /// The order in which the type encodes them.
    case declared
    /// The order of the bytes of their names, at each level; elements of arrays stay in order.
    case sorted
  }
}

extension QueryEncoding.Booleans {
  func text(_ value: Bool) -> String {
    switch self {
    case .words: value ? "true" : "false"
    case .numbers: value ? "1" : "0"
    }
  }
}
