public import FreshetEssentials

extension Client {
  /// Uploads a file by a `POST` that is resumed after interruptions, if the server allows that.
  ///
  /// ```swift
  /// let journal = UploadJournal(at: support.appending(path: "film.upload"))
  /// for try await event in client.upload(film, to: url, options: { $0.journal = journal }) {
  ///   switch event {
  ///   case .progress(let progress): bar.fraction = progress.fraction
  ///   case .value(let response): print(response.status)
  ///   }
  /// }
  /// ```
  ///
  /// - After an interruption, the client asks the server how many bytes it has, and sends the rest. With a
  ///   ``UploadOptions/journal``, a later process does the same.
  /// - A server without resumable uploads gets an ordinary request.
  /// - The SHA-256 of the file is sent. If the server reports another digest, the upload fails with
  ///   ``FreshetError/corrupted(expected:actual:url:)``.
  /// - If the response was lost, or came from a gateway or a busy server (408, 425, 429, 502, 503, 504), but the
  ///   server says that the upload is complete, the value is its response to that question, without a body.
  /// - ``Request/Timeouts/total`` covers the whole upload with its pauses.
  ///
  /// - Parameters:
  ///   - file: A regular file.
  ///   - url: The URL; relative to ``Configuration/baseURL``.
  ///   - contentType: The media type of the file; none by default.
  ///   - options: A closure that changes the options.
  /// - Returns: A cold sequence of events that ends after one value.
  public func upload(
    _ file: URL,
    to url: URL,
    contentType: MediaType? = nil,
    options: (inout UploadOptions) -> Void = { _ in }
  ) -> UploadSequence {
    upload(Request(.post, url, body: .file(file, contentType: contentType)), options: options)
  }

  /// Uploads the body of a request, as ``upload(_:to:contentType:options:)`` uploads a file.
  ///
  /// Later requests go to the URL that the server has assigned, with the header fields of this request
  /// except the ones that describe its body. Credentials are only sent to the origin of the request.
  ///
  /// The fields of the protocol (`Upload-Complete`, `Upload-Offset`, `Upload-Length`, `Tus-Resumable`) are those
  /// of the upload, whatever the request has. A `Repr-Digest` of the request is sent instead of the computed one.
  ///
  /// - Parameters:
  ///   - request: The request, with a body of bytes or a file; a stream, also that of ``Request/compressed()``,
  ///     fails with ``FreshetError/invalidRequest(_:url:)``.
  ///   - options: A closure that changes the options.
  /// - Returns: A cold sequence of events that ends after one value.
  public func upload(
    _ request: Request,
    options: (inout UploadOptions) -> Void = { _ in }
  ) -> UploadSequence {
    UploadSequence(client: self, request: request, options: UploadOptions(options))
  }

  /// Ends an interrupted upload on the server by a `DELETE`, and removes its journal.
  ///
  /// It succeeds if the server no longer has the upload. Without a journal in the file it has no effect.
  /// Credentials are only sent to the origin of the upload's request.
  ///
  /// - Parameters:
  ///   - journal: The journal of the upload.
  ///   - headers: Header fields of the request, such as credentials, besides those of the client.
  /// - Throws: ``FreshetError/status(_:body:)`` if the server refuses, ``FreshetError/file(_:path:)`` if the
  ///   journal cannot be used, and what the transfer throws; the journal then stays.
  public func cancelUpload(
    in journal: UploadJournal,
    headers: HTTPHeaders = [:]
  ) async throws(FreshetError) {
    guard let entry = try journal.read() else { return }
    let target = entry.target.split(separator: " ", maxSplits: 1).last
      .flatMap { URL(string: String($0)) }
    // The client's fields and parameters are for the origin of the upload's request.
    var request = prepared(Request(.delete, target ?? entry.location, headers: headers))
    if let problem = UploadLocation.problem(with: entry.location, of: request) {
      throw .file("its location \(problem)", path: journal.file.path)
    }
    if target.map(entry.location.hasSameOrigin) != true {
      request.headers = request.redirects.withoutSecrets(request.headers)
    }
    request.url = entry.location
    let (name, version) = UploadFields.version(entry.resumption)
    request.headers[name] = version
    let call = BypassingCall(request: request, transport: settings.transport, limit: 64 << 20)
    let response = try await call.response()
    guard response.status.isSuccess || response.status.isGone else {
      throw .status(response.head, body: response.value)
    }
    try journal.discard()
  }
}
