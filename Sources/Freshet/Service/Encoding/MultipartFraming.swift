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
    if case .file(let url) = part.body.source {
      length = try FileChunks.length(of: url)
    } else {
      length = part.body.length
    }
  }

  /// Escapes a name by WHATWG's "multipart/form-data encoding algorithm".
  private static func escaped(_ name: String) -> String {
    PercentEncoding.encode(name) { !"\"\r\n".utf8.contains($0) }
  }
}

/// The delimiters around the parts (RFC 2046 section 5.1.1).
struct MultipartFraming: Sendable {
  let boundary: String
  let sections: [MultipartSection]

  /// Returns the delimiter before a part, with the part's header.
  func opening(_ index: Int) -> Data {
    Data("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n".utf8) + sections[index].header
  }

  var closing: Data { Data("\(sections.isEmpty ? "" : "\r\n")--\(boundary)--\r\n".utf8) }

  /// The length of the whole; `nil` if that of a part is unknown, or if the sum does not fit.
  var length: Int64? {
    var length = Int64(closing.count)
    for (index, section) in sections.enumerated() {
      guard let body = section.length else { return nil }
      length = length.saturatingSum(body).saturatingSum(Int64(opening(index).count))
    }
    return length == .max ? nil : length
  }
}
