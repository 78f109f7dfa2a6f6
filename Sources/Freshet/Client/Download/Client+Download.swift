public import FreshetEssentials

extension Client {
  /// Downloads a URL to a file.
  ///
  /// ```swift
  /// let image = try await client.download(url, to: file, expecting: .sha256(digest)).value
  /// print(image.body.length, image.explanation)
  /// ```
  ///
  /// - The body arrives beside the file, in a hidden folder (`.NAME.freshet`), and is moved when it is
  ///   complete and verified: its bytes are written once. Until then a file that is there stays as it
  ///   is. A small one arrives in memory, and needs a hidden file (`.NAME.freshet-copy`) and no folder.
  /// - What has arrived when the transfer breaks, the task is cancelled, the process is killed or the
  ///   file cannot be written is resumed by the next download of the same URL to the same file, under a
  ///   strong validator; no disk store is needed. The folder is removed with the last byte that waits in it.
  /// - The stores of the client are looked into first, and what they have is copied or cloned. What
  ///   comes from the network goes to the file alone, and no stale copy replaces a failed response.
  /// - A status other than 2xx fails with ``FreshetError/status(_:body:)`` and touches no file.
  ///
  /// The file is treated as `curl -o` treats it, see ``DownloadSequence``.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - file: The destination; its directory must exist.
  ///   - digest: The digest that the body must have; by default the policy's, if it has one.
  ///   - policy: The policy of the fetch; the client's by default. Nothing is stored with any policy.
  /// - Returns: A cold sequence of events, whose value has its body in the file.
  public func download(
    _ url: URL,
    to file: URL,
    expecting digest: Checksum? = nil,
    policy: ResourcePolicy? = nil
  ) -> DownloadSequence {
    download(Request(.get, url), to: file, expecting: digest, policy: policy)
  }

  /// Downloads what a request describes to a file, as ``download(_:to:expecting:policy:)-(URL,_,_,_)``
  /// does; a `HEAD` fails.
  public func download(
    _ request: Request,
    to file: URL,
    expecting digest: Checksum? = nil,
    policy: ResourcePolicy? = nil
  ) -> DownloadSequence {
    download(request, to: .file(file), expecting: digest, policy: policy)
  }

  /// Downloads a URL to a new file of a directory, with the name that the response suggests.
  ///
  /// The name is that of `Content-Disposition` (RFC 6266), or else the last component of the URL. It
  /// never leaves the directory, whatever the server says: of a path only the last component counts,
  /// without control characters and dots at its beginning. Nothing is replaced: where the name is
  /// taken, the file gets a number, such as `film (2).mp4`.
  ///
  /// ```swift
  /// let film = try await client.download(url, into: downloads).value
  /// print(film.body.fileURL?.lastPathComponent ?? "")
  /// ```
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - directory: The directory of the file; it must exist.
  ///   - digest: The digest that the body must have; by default the policy's, if it has one.
  ///   - policy: The policy of the fetch; the client's by default. Nothing is stored with any policy.
  /// - Returns: A cold sequence of events, whose value has its body in the file.
  public func download(
    _ url: URL,
    into directory: URL,
    expecting digest: Checksum? = nil,
    policy: ResourcePolicy? = nil
  ) -> DownloadSequence {
    download(Request(.get, url), into: directory, expecting: digest, policy: policy)
  }

  /// Downloads what a request describes to a new file of a directory, as
  /// ``download(_:into:expecting:policy:)-(URL,_,_,_)`` does; a `HEAD` fails.
  public func download(
    _ request: Request,
    into directory: URL,
    expecting digest: Checksum? = nil,
    policy: ResourcePolicy? = nil
  ) -> DownloadSequence {
    download(request, to: .directory(directory), expecting: digest, policy: policy)
  }

  func download(
    _ request: Request,
    to target: DownloadTarget,
    expecting digest: Checksum? = nil,
    policy: ResourcePolicy? = nil
  ) -> DownloadSequence {
    var policy = policy ?? configuration.policy
    if let digest { policy.expected = digest }
    policy.persistence = .nowhere
    policy.stale = .withheld
    return DownloadSequence(client: self, request: request, target: target, policy: policy)
  }
}
