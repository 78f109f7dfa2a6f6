/// The options of an upload, see ``Client/upload(_:to:contentType:options:)``.
public struct UploadOptions: Sendable {
  /// The protocol by which an interrupted upload is resumed; ``Resumption/ietf`` by default.
  public var resumption = Resumption.ietf
  /// The request that begins an upload by ``Resumption/ietf``.
  ///
  /// The default is ``Creation/optimistic`` on Linux, and ``Creation/asking`` on Apple platforms.
  public var creation = Creation.standard
  /// The file from which another process continues the upload; `nil`, none, by default.
  public var journal: UploadJournal?
  /// The policy of resuming after failures.
  ///
  /// The attempts are counted from the last one that made progress; uploads that the server gives up are counted in
  /// all. The default is the standard policy with five retries; the client's policy is not used.
  public var retry = RetryPolicy { $0.maximumRetries = 5 }
  /// A Boolean value that indicates whether the SHA-256 of the body is sent as `Repr-Digest` (RFC 9530);
  /// `true` by default.
  ///
  /// A file is then read twice, once to compute it. If the server returns the digest of what it has, that
  /// is compared with it. With `false` that is only done if the ``journal`` has the digest of the body.
  public var sendsDigest = true
  /// The largest number of bytes in one request; `nil`, the default, sends all that the server allows
  /// (`max-append-size` of `Upload-Limit`).
  ///
  /// A larger body begins with an `OPTIONS` as ``Creation/asking`` does, unless ``creation`` is
  /// ``Creation/careful``. A server without resumable uploads gets all of it in one request.
  public var maximumAppend: Int64?
  /// A Boolean value that indicates whether a cancelled upload is removed from the server by `DELETE`, with
  /// its journal; `false` by default, so that it can be resumed.
  ///
  /// If the `DELETE` fails, the journal stays.
  public var deletesWhenCancelled = false
  /// The `Upload-Metadata` of a ``Resumption/tus`` upload, such as `filename`.
  ///
  /// By default, it is the field of the request, or the name of the file and its media type, which is
  /// `application/octet-stream` if there is none.
  public var metadata: [String: String]?

  /// Makes the default options, changed by a closure.
  public init(_ configure: (inout UploadOptions) -> Void = { _ in }) {
    configure(&self)
  }

  /// The protocol by which an interrupted upload is resumed.
  public enum Resumption: String, Sendable, Hashable, Codable {
    /// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload), interoperability version 8.
    ///
    /// A server without it gets an ordinary request.
    case ietf
    /// tus 1.0, which is tried only with servers that have it.
    ///
    /// It creates the upload by `POST`, whatever the method of the request.
    case tus
  }

  /// The request that begins an upload.
  public enum Creation: Sendable, Hashable {
    /// The whole body, with the offer to resume it.
    ///
    /// The server accepts the offer by an interim response (104). If the transfer breaks before that, it is
    /// repeated as a whole, provided that ``UploadOptions/retry`` allows that for the request: a `POST` needs an
    /// `Idempotency-Key`.
    case optimistic
    /// No bytes, for a server that is known to resume uploads.
    case careful
    /// An `OPTIONS`, and then ``careful`` if the server announces resumable uploads, or else ``optimistic``.
    case asking

    static var standard: Creation {
      #if canImport(Darwin)
      .asking
      #else
      .optimistic
      #endif
    }
  }
}
