public import FreshetEssentials

/// A form of several parts, `multipart/form-data` (RFC 7578), which may include files and streams.
///
/// ```swift
/// let form = MultipartBody([
///   .text("title", "Summer"),
///   .file("photo", photo, contentType: MediaType("image", "jpeg")),
/// ])
/// let request = try Request(.put, url, body: .multipart(form))
/// ```
///
/// - Parts are sent in order; names may repeat.
/// - Names and file names are sent in UTF-8; `"`, carriage return and line feed in them become
///   `%22`, `%0D` and `%0A`, as in browsers, so that no name can end its field. Nothing else is
///   encoded: a `%22` in a name is sent unchanged.
/// - The boundary has 128 bits of the system's random generator, so that the author of a part
///   cannot guess it.
/// - A form without parts consists of its closing boundary, as in browsers.
public struct MultipartBody: Sendable {
  /// The parts in their order.
  public var parts: [Part]
  /// The separator of the parts.
  public let boundary: String

  /// Makes a form of parts.
  public init(_ parts: [Part]) {
    var generator = SystemRandomNumberGenerator()
    self.init(parts, using: &generator)
  }

  /// Makes a form of parts, with a boundary from a generator.
  ///
  /// - Parameters:
  ///   - parts: The parts in their order.
  ///   - generator: The generator for the boundary. A predictable one is for tests only: a part
  ///     that contains the boundary would end early.
  public init(_ parts: [Part], using generator: inout some RandomNumberGenerator) {
    self.parts = parts
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    boundary = "freshet-\(Hexadecimal.text(bytes))"
  }
}

extension MultipartBody {
  /// One part: a field's name, an optional file name, and a body.
  public struct Part: Sendable {
    /// The field's name.
    public var name: String
    /// The file's name; a server treats a part with one as a file.
    public var filename: String?
    /// The content of the part; its media type is sent with it.
    public var body: RequestBody

    /// Makes a part of any body.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - filename: The file's name, or `nil` for an ordinary field.
    ///   - body: The bytes, the file or the stream.
    public init(_ name: String, filename: String? = nil, body: RequestBody) {
      self.name = name
      self.filename = filename
      self.body = body
    }

    /// Makes a field of text in UTF-8, without a media type, as browsers send it.
    public static func text(_ name: String, _ text: String) -> Part {
      .bytes(name, Data(text.utf8))
    }

    /// Makes a part of bytes.
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

    /// Makes a part of a file that is read while it is sent.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - url: The URL of the file.
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

    /// Makes a part of chunks that are produced while they are sent.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - filename: The file's name, or `nil` for an ordinary field.
    ///   - length: The number of bytes, if it is known.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - isReplayable: A Boolean value that indicates whether `chunks` may be called again for
    ///     another attempt; `false` by default.
    ///   - chunks: A closure that makes the sequence of chunks; called once for each attempt.
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

    /// Makes a part of the chunks of any sequence, such as an `AsyncStream` or the body of another
    /// response.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - filename: The file's name, or `nil` for an ordinary field.
    ///   - length: The number of bytes, if it is known.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - isReplayable: A Boolean value that indicates whether `chunks` may be called again for
    ///     another attempt; `false` by default.
    ///   - chunks: A closure that makes the sequence of chunks; called once for each attempt.
    /// - Returns: A part.
    public static func stream<Stream: AsyncSequence & Sendable>(
      _ name: String,
      filename: String? = nil,
      length: Int64? = nil,
      contentType: MediaType = .octetStream,
      isReplayable: Bool = false,
      _ chunks: @escaping @Sendable () -> Stream
    ) -> Part where Stream.Element == Data {
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
  /// Makes a field of text for each field of a value, named as in a form.
  ///
  /// - Parameters:
  ///   - value: A structure, a dictionary with keys of text, or a ``ParameterList``.
  ///   - encoding: The encoding of the fields; a `nil` that is sent is an empty text.
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
