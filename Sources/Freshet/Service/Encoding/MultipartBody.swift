public import Foundation

/// A form of several parts, `multipart/form-data` (RFC 7578), with files and streams among them.
///
/// ```swift
/// let form = MultipartBody([
///   .text("title", "Summer"),
///   .file("photo", photo, contentType: MediaType("image", "jpeg")),
/// ])
/// let request = try Request(.put, url, body: .multipart(form))
/// ```
///
/// - Parts are sent in order; a name may appear any number of times.
/// - Names and file names are sent in UTF-8; `"`, carriage return and line feed in them become `%22`,
///   `%0D` and `%0A`, as browsers do, so that no name can end its field. Nothing else is encoded: a
///   `%22` that is in a name arrives as it is.
/// - The boundary has 128 random bits of the system's generator: nobody who writes a part can guess
///   it.
/// - A form without parts is its closing boundary alone, as browsers send it.
public struct MultipartBody: Sendable {
  /// The parts in their order.
  public var parts: [Part]
  /// What separates the parts.
  public let boundary: String

  /// Makes a form of parts.
  public init(_ parts: [Part]) {
    var generator = SystemRandomNumberGenerator()
    self.init(parts, using: &generator)
  }

  /// Makes a form of parts, with a boundary that a generator chooses.
  ///
  /// - Parameters:
  ///   - parts: The parts in their order.
  ///   - generator: Makes the boundary. One that can be foreseen is for tests only: a part that holds
  ///     the boundary would end early.
  public init(_ parts: [Part], using generator: inout some RandomNumberGenerator) {
    self.parts = parts
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    boundary = "freshet-\(Hexadecimal.text(bytes))"
  }
}

extension MultipartBody {
  /// One part: a field's name, perhaps a file's name, and a body.
  public struct Part: Sendable {
    /// The field's name.
    public var name: String
    /// The file's name; a part with one is a file for the server.
    public var filename: String?
    /// What the part holds; its media type is sent with it.
    public var body: RequestBody

    /// Makes a part of any body.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - filename: The file's name, or `nil` for an ordinary field.
    ///   - body: Bytes, a file or a stream.
    public init(_ name: String, filename: String? = nil, body: RequestBody) {
      self.name = name
      self.filename = filename
      self.body = body
    }

    /// A field of text in UTF-8, without a media type, as browsers send it.
    public static func text(_ name: String, _ text: String) -> Part {
      .bytes(name, Data(text.utf8))
    }

    /// A part of bytes.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - data: The bytes.
    ///   - filename: The file's name, or `nil` for an ordinary field.
    ///   - contentType: The media type of the bytes; none by default.
    /// - Returns: A part.
    public static func bytes(
      _ name: String,
      _ data: Data,
      filename: String? = nil,
      contentType: MediaType? = nil
    ) -> Part {
      Part(name, filename: filename, body: .bytes(data, contentType: contentType))
    }

    /// A file that is read while it is sent.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - url: Where the file is.
    ///   - filename: The name for the server; the file's own by default.
    ///   - contentType: The media type; `application/octet-stream` by default.
    /// - Returns: A part; the file is read when the form is sent.
    public static func file(
      _ name: String,
      _ url: URL,
      filename: String? = nil,
      contentType: MediaType = .octetStream
    ) -> Part {
      Part(
        name,
        filename: filename ?? url.lastPathComponent,
        body: .file(url, contentType: contentType)
      )
    }

    /// Chunks that are made while they are sent.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - filename: The file's name, or `nil` for an ordinary field.
    ///   - length: The number of bytes, if it is known.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - isReplayable: Whether `chunks` may be called again for a second attempt.
    ///   - chunks: Makes the sequence of chunks; called once an attempt.
    /// - Returns: A part.
    public static func stream(
      _ name: String,
      filename: String? = nil,
      length: Int64? = nil,
      contentType: MediaType = .octetStream,
      isReplayable: Bool = false,
      _ chunks: @escaping @Sendable () -> RequestBody.Chunks
    ) -> Part {
      let body = RequestBody.stream(
        length: length,
        contentType: contentType,
        isReplayable: isReplayable,
        chunks
      )
      return Part(name, filename: filename, body: body)
    }
  }
}

extension MultipartBody {
  /// Makes a field of text for each field of a value, named as a form names them.
  ///
  /// - Parameters:
  ///   - value: A structure, a dictionary with keys of text, or a ``ParameterList``.
  ///   - encoding: How fields are written; `nil` that is sent is an empty text.
  /// - Returns: The parts in the order of the fields.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` if the value cannot be encoded.
  public static func fields(
    _ value: some Encodable,
    encoding: QueryEncoding = QueryEncoding()
  ) throws(FreshetError) -> [Part] {
    try encoding.pairs(of: ParameterList(value))
      .map { pair in
        .text(pair.name, (pair.values ?? [""]).joined(separator: ","))
      }
  }
}
