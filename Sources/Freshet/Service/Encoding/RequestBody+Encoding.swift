public import FreshetEssentials

extension RequestBody {
  /// Makes a form, `application/x-www-form-urlencoded`, of the fields of a value.
  ///
  /// ```swift
  /// request.body = try .form(["grant_type": "refresh_token", "refresh_token": token])
  /// ```
  ///
  /// - Parameters:
  ///   - value: A structure, a dictionary with keys of text, or a ``ParameterList``.
  ///   - encoding: The encoding of the fields.
  /// - Returns: A body of bytes.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the value has no named fields or cannot be
  ///   encoded.
  public static func form(
    _ value: some Encodable,
    encoding: QueryEncoding = QueryEncoding()
  ) throws(FreshetError) -> RequestBody {
    let text = try encoding.encode(value, as: .form)
    return .bytes(Data(text.utf8), contentType: .form)
  }

  /// Makes a form, `application/x-www-form-urlencoded`, of names and values of several types.
  ///
  /// ```swift
  /// request.body = try .form(["name": name, "age": 7])
  /// ```
  ///
  /// - Parameters:
  ///   - fields: The names and values, in their order.
  ///   - encoding: The encoding of the fields.
  /// - Returns: A body of bytes.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if a value cannot be encoded.
  public static func form(
    _ fields: ParameterList,
    encoding: QueryEncoding = QueryEncoding()
  ) throws(FreshetError) -> RequestBody {
    let value: any Encodable = fields
    return try form(value, encoding: encoding)
  }

  /// Makes a body of JSON, `application/json`.
  ///
  /// - Parameters:
  ///   - value: Any value; the top level may be an array, a text or a number.
  ///   - nils: The representation of fields that are `nil`; that of their type by default, which is
  ///     nothing unless it encodes `nil` explicitly.
  ///   - encoder: The encoder. The default is Foundation's with sorted keys, so that equal values
  ///     are equal bytes, and without escaped slashes.
  /// - Returns: A body of bytes.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the value cannot be encoded; the message
  ///   contains the path, and no values.
  public static func json(
    _ value: some Encodable,
    nils: JSONNils = .asEncoded,
    encoder: JSONEncoder? = nil
  ) throws(FreshetError) -> RequestBody {
    do {
      let encoder = encoder ?? .stable
      func node() throws -> ParameterNode { try ParameterEncoder.node(of: value, for: encoder) }
      let data =
        switch nils {
        case .asEncoded: try encoder.encode(value).checkedForNaN(of: value, by: encoder)
        case .null: try encoder.encode(ParameterNode.Whole(node: try node()))
        // A node itself leaves out fields that are null.
        case .omitted: try encoder.encode(try node())
        case .pruned: try encoder.encode(try node().pruned)
        }
      return .bytes(data, contentType: .json)
    } catch {
      throw .unencodable("JSON body", error)
    }
  }

  /// Makes an object of JSON, `application/json`, of names and values of several types.
  ///
  /// An encoder that converts keys converts the names, and a value that is `nil` is left out, as
  /// is ``JSONValue/null`` in an object. Neither is the case for a dictionary, which a literal with
  /// values of one type is.
  ///
  /// ```swift
  /// request.body = try .json(["name": name, "age": 7])
  /// ```
  ///
  /// - Parameters:
  ///   - fields: The names and values. An object in an object is another ``ParameterList``, or a
  ///     ``JSONValue``.
  ///   - nils: The representation of fields that are `nil`; that of their type by default.
  ///   - encoder: The encoder. The default is Foundation's with sorted keys.
  /// - Returns: A body of bytes.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if a value cannot be encoded.
  public static func json(
    _ fields: ParameterList,
    nils: JSONNils = .asEncoded,
    encoder: JSONEncoder? = nil
  ) throws(FreshetError) -> RequestBody {
    let value: any Encodable = fields
    return try json(value, nils: nils, encoder: encoder)
  }

  /// Makes a body of a property list, `application/x-plist`.
  ///
  /// - Parameters:
  ///   - value: A structure, a dictionary or an array.
  ///   - format: XML by default, or binary.
  /// - Returns: A body of bytes.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the value cannot be encoded.
  public static func propertyList(
    _ value: some Encodable,
    format: PropertyListFormat = .xml
  ) throws(FreshetError) -> RequestBody {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    do {
      return .bytes(try encoder.encode(value), contentType: .propertyList)
    } catch {
      throw .unencodable("property list", error)
    }
  }
}

/// The representation of `nil` in JSON.
public enum JSONNils: Sendable, Hashable {
  /// The representation that the type encodes: nothing, unless it encodes `nil` explicitly.
  case asEncoded
  /// `null`, for servers that leave a field unchanged if it is missing.
  case null
  /// Nothing, at any depth, even where the type encodes `null`, as ``JSONValue/null`` does.
  ///
  /// Elements of arrays stay `null`, because their positions count.
  case omitted
  /// Nothing, as with ``omitted``, and objects that become empty are omitted too: as members and as
  /// elements of arrays.
  ///
  /// Only the outermost object stays, and empty arrays do.
  case pruned
}

extension MediaType {
  /// The type of forms, `application/x-www-form-urlencoded`.
  public static let form = MediaType("application", "x-www-form-urlencoded")
  /// The type of property lists, `application/x-plist`.
  public static let propertyList = MediaType("application", "x-plist")
}

extension Data {
  /// Returns JSON, or throws if it has a number `NaN`, which Foundation writes for that of `Decimal`.
  fileprivate func checkedForNaN(
    of value: some Encodable,
    by encoder: JSONEncoder
  ) throws -> Data {
    if containsNaN, (try? JSONDecoder().decode(JSONValue.self, from: self)) == nil {
      _ = try ParameterEncoder.node(of: value, for: encoder)
    }
    return self
  }

  /// A Boolean value that indicates whether the bytes contain the text `NaN`, also within others.
  private var containsNaN: Bool {
    withUnsafeBytes { bytes in
      var rest = bytes[...]
      while let start = rest.firstIndex(of: UInt8(ascii: "N")) {
        rest = rest[start...]
        if rest.starts(with: "NaN".utf8) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }
}

extension JSONEncoder {
  fileprivate static var stable: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
