import FreshetEssentials

/// A part that is ready to be sent: its header and its body, with its length if that is known.
struct MultipartSection: Sendable {
  let name: String
  /// The bytes from `Content-Disposition` to the empty line.
  let header: Data
  let body: RequestBody
  let length: Int64?

  init(_ part: MultipartBody.Part) throws(FreshetError) {
    var header = "Content-Disposition: form-data; name=\"\(Self.escaped(part.name))\""
    if let filename = part.filename {
      header += "; filename=\"\(Self.escaped(filename))\""
    }
    header += "\r\n"
    if let type = part.body.contentType {
      guard type.isValid else {
        throw .invalidRequest("the media type of its part “\(part.name)” is not valid", url: "")
      }
      header += "Content-Type: \(type)\r\n"
    }
    name = part.name
    self.header = Data((header + "\r\n").utf8)
    body = part.body
    length = try part.body.currentLength()
  }

  /// Escapes a name by WHATWG's "multipart/form-data encoding algorithm".
  private static func escaped(_ name: String) -> String {
    PercentEncoding.encode(name) { !"\"\r\n".utf8.contains($0) }
  }
}
