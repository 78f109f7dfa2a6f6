import FreshetEssentials

extension Request {
  /// Computes the digest of the body in hexadecimal, as it will be sent (RFC 7616 section 3.4.3).
  ///
  /// - Throws: ``FreshetError/unauthenticated(_:url:)`` if the body can be read only once,
  ///   ``FreshetError/file(_:path:)`` if it is a file that cannot be read, what its chunks throw.
  @concurrent
  func bodyHash(_ algorithm: ChecksumHasher.Algorithm) async throws(FreshetError) -> String {
    let hasher = ChecksumHasher(algorithm)
    // An upgrade has no content: what is sent behind it has no end.
    switch isUpgrade ? nil : body?.source {
    case nil: break
    case .bytes(let data): hasher.update(data)
    case .file(let file): try Self.add(file, to: hasher)
    case .stream(let chunks): try await add(chunks(), to: hasher)
    }
    return Hexadecimal.text(hasher.finish())
  }

  private static func add(_ url: URL, to hasher: ChecksumHasher) throws(FreshetError) {
    do {
      try OpenFile(url.path, O_RDONLY).readPieces { hasher.update($0) }
    } catch {
      throw .file("it cannot be read", path: url.path)
    }
  }

  private nonisolated(nonsending) func add(
    _ chunks: RequestBody.Chunks,
    to hasher: ChecksumHasher
  ) async throws(FreshetError) {
    let shown = Redaction.shown(url)
    guard body?.isReplayable == true else {
      throw .unauthenticated(
        "the server requires a digest of the body, which can be read only once",
        url: shown
      )
    }
    do {
      for try await chunk in chunks { hasher.update(chunk) }
    } catch let error as FreshetError {
      throw error
    } catch {
      guard !Task.isCancelled else { throw .cancelled }
      throw .unauthenticated("reading its body failed with \(type(of: error))", url: shown)
    }
  }
}
