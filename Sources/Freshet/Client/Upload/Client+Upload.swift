public import Foundation

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
  /// - After a break the server is asked how much it has, and gets the rest. With a
  ///   ``UploadOptions/journal`` the same holds after the end of the process.
  /// - A server without resumable uploads gets an ordinary request.
  /// - The SHA-256 of the file is sent, and what the server says of it is compared: another one fails
  ///   with ``FreshetError/corrupted(expected:actual:url:)``.
  /// - If the response was lost, but the server says that the upload is complete, the value is its response
  ///   to that question, without a body.
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
  /// The requests that follow the first one go to the address that the server has given. They have the
  /// header fields of this request, except for those that describe its body; credentials stay at the origin
  /// of the request.
  ///
  /// - Parameters:
  ///   - request: The request, with a body of bytes or a file; a stream fails with
  ///     ``FreshetError/invalidRequest(_:url:)``.
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
  /// An upload that the server does not have any more is ended as well. Without a journal at that place nothing
  /// happens. Credentials do not go to an address at another origin than that of the upload's request.
  ///
  /// - Parameters:
  ///   - journal: The journal of the upload.
  ///   - headers: Header fields of the request, such as credentials, besides those of the client.
  /// - Throws: ``FreshetError/status(_:body:)`` if the server refuses, and what the transfer throws; the
  ///   journal then stays.
  public func cancelUpload(
    in journal: UploadJournal,
    headers: HTTPHeaders = [:]
  ) async throws(FreshetError) {
    guard let entry = try journal.read() else { return }
    var request = Request(.delete, entry.location, headers: headers)
    let target = entry.target.split(separator: " ", maxSplits: 1).last
      .flatMap { URL(string: String($0)) }
    if target.map(entry.location.hasSameOrigin) != true {
      request.redirects.secretHeaders.formUnion(settings.configuration.secretHeaders)
      request.headers = request.redirects.withoutSecrets(request.headers)
    }
    let (name, version) = UploadFields.version(entry.resumption)
    request.headers[name] = version
    let response = try await send(request).value
    guard response.status.isSuccess || [404, 410].contains(response.status) else {
      throw .status(response.head, body: response.value)
    }
    try journal.discard()
  }
}
