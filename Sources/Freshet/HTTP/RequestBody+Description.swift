extension RequestBody: RedactedDescribable {
  /// Length and media type, such as `12 bytes of application/json`, and nothing of the content.
  public var description: String {
    let size =
      switch source {
      case .bytes(let data): "\(data.count) bytes"
      case .file: "a file"
      case .stream: length.map { "a stream of \($0) bytes" } ?? "a stream"
      }
    return Printable.line(contentType.map { "\(size) of \($0)" } ?? size)
  }
  /// The ``description``, so that `dump` shows no content.
  public var customMirror: Mirror { Mirror(self, children: ["content": description]) }
}
