import FreshetEssentials

extension RequestBody {
  /// Makes a form of several parts, sent part by part; only a few chunks are in memory at a time.
  ///
  /// - The length is known if the length of each part is. Files are measured now; a file or a
  ///   stream that turns out longer or shorter fails the request.
  /// - It can be sent again if each part can.
  ///
  /// - Parameter form: The form.
  /// - Returns: A body whose media type is `multipart/form-data` with the form's boundary.
  /// - Throws: ``FreshetError/file(_:path:)`` if a file is missing or is not a file, and
  ///   ``FreshetError/invalidRequest(_:url:)`` if a part's media type is not valid.
  public static func multipart(_ form: MultipartBody) throws(FreshetError) -> RequestBody {
    var sections: [MultipartSection] = []
    for part in form.parts {
      sections.append(try MultipartSection(part))
    }
    let chunks = MultipartChunks(boundary: form.boundary, sections: sections)
    let parameter = MediaType.Parameter(name: "boundary", value: form.boundary)
    return .stream(
      length: chunks.length,
      contentType: MediaType("multipart", "form-data", parameters: [parameter]),
      isReplayable: form.parts.allSatisfy(\.body.isReplayable)
    ) {
      chunks
    }
  }
}
