import FreshetEssentials

/// The header fields of both protocols for resumable uploads.
enum UploadFields {
  static let complete: HTTPHeaders.Name = "Upload-Complete"
  static let offset: HTTPHeaders.Name = "Upload-Offset"
  static let length: HTTPHeaders.Name = "Upload-Length"
  static let limit: HTTPHeaders.Name = "Upload-Limit"
  static let metadata: HTTPHeaders.Name = "Upload-Metadata"
  static let interoperability: HTTPHeaders.Name = "Upload-Draft-Interop-Version"
  static let tus: HTTPHeaders.Name = "Tus-Resumable"

  /// The fields that only the upload itself sets.
  static let reserved = [complete, offset, length, interoperability, tus]

  static let partial = MediaType("application", "partial-upload")
  static let tusPartial = MediaType("application", "offset+octet-stream")

  /// Returns the fields that identify the protocol.
  static func version(_ resumption: UploadOptions.Resumption) -> (HTTPHeaders.Name, String) {
    switch resumption {
    case .ietf: (interoperability, "8")
    case .tus: (tus, "1.0.0")
    }
  }

  /// Returns a structured Boolean (RFC 9651 section 3.3.6).
  static func boolean(_ value: Bool) -> String { value ? "?1" : "?0" }

  /// Returns the `Upload-Metadata` of tus: pairs of a key and a value in base64.
  static func metadata(_ values: [String: String]) -> String {
    values.sorted { $0.key < $1.key }
      .map { key, value in
        value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
      }
      .joined(separator: ",")
  }

  /// Returns an integer of a limit (`max-size`, `max-append-size`); `nil` without one.
  ///
  /// Members of other types are ignored, and a field that is not a dictionary is ignored as a whole.
  static func limit(_ name: String, in headers: HTTPHeaders) -> Int64? {
    let members = headers.combined(limit).flatMap { StructuredParser.dictionary($0) }
    guard let value = members?[name]?.integer, value >= 0 else { return nil }
    return value
  }

  /// Returns a structured integer that is not negative (RFC 9651 section 3.3.1), parameters ignored.
  static func integer(_ text: String?) -> Int64? {
    guard let text else { return nil }
    let item = ASCII.trimmed(text.prefix { $0 != ";" })
    guard (1...15).contains(item.utf8.count) else { return nil }
    return ASCII.integer(item)
  }

  /// Returns whether a server answers an append to an upload that is complete already, by its problem type.
  static func isOfCompleteUpload(_ response: Response<Data>) -> Bool {
    let type = response.json(at: "type").map { String(decoding: $0, as: UTF8.self) }
    return response.status == 400 && type?.hasSuffix("#completed-upload\"") == true
  }

  /// The state of completion in a response; `nil` without the field.
  static func isComplete(_ headers: HTTPHeaders) -> Bool? {
    switch headers[complete].map({ ASCII.trimmed($0.prefix { $0 != ";" }) }) {
    case "?1": return true
    case "?0": return false
    default: return nil
    }
  }

  /// Returns the SHA-256 of `Repr-Digest`.
  static func digest(in headers: HTTPHeaders) -> SHA256Checksum? {
    headers.combined(.reprDigest)
      .flatMap { StructuredParser.byteSequences($0) }
      .flatMap { $0["sha-256"] }
      .flatMap { SHA256Checksum(bytes: $0) }
  }

  /// A Boolean value that indicates whether a response announces resumable uploads.
  static func announcesResumption(_ head: ResponseHead) -> Bool {
    head.status.isSuccess
      && head.headers.members(of: "Accept-Patch")
        .contains { member in
          let type = ASCII.trimmed(member.prefix { $0 != ";" })
          return ASCII.equalIgnoringCase(type, "application/partial-upload")
        }
  }

  /// The fields about the content of a request that has all of the body, besides its type.
  static let contentOfWhole: [HTTPHeaders.Name] = [
    .contentLength, .contentDigest, "Content-MD5",
  ]

  /// A Boolean value that indicates whether a field describes the body or conditions of the first request
  /// alone.
  static func describesBody(_ name: HTTPHeaders.Name) -> Bool {
    let name = name.rawValue.lowercased()
    return name.hasPrefix("content-") || name.hasPrefix("if-")
      || ["idempotency-key", "expect", "repr-digest", "want-repr-digest"].contains(name)
  }
}
