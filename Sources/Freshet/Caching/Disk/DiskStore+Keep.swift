import FreshetEssentials
import Synchronization

extension DiskStore {
  /// Stores a response in place of the one with the same key and the same varying fields.
  ///
  /// Cancelling the task does not undo it. A key has at most 32 variants: this one, and the newest others.
  ///
  /// - Parameter response: The response to store. A large body in a temporary file is moved into
  ///   the store if it is on the same file system, and copied otherwise.
  /// - Returns: The response with its digest; its body is in memory if it was, in the store's file
  ///   if it was in a temporary one.
  /// - Throws: ``FreshetError/store(_:)`` if it could not be stored, is larger than the limit of
  ///   the whole store, is older than the stored one, or was requested before its key was
  ///   invalidated; the earlier copy is unchanged, and so is the response.
  public func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    let kept = try await insert(response)
    let status = response.head.status
    // Parts of what is stored as a whole now, or is gone, are of no use.
    if status == .ok || status.isGone { parts.remove(response.key) }
    return kept
  }

  private func insert(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await open()
    guard Int64(response.cost) <= shared.limits.bytes else {
      throw StoreFailure.Reason.tooLarge.error
    }
    let digest = try digest(of: response)
    if response.body.length <= Int64(configuration.inlineLimit) {
      let response = try response.withBodyInMemory().digested(digest)
      let data = try response.body.data(limit: .max)
      try await insert(DiskRecord(response, digest: digest, body: .inline(data)))
      return response
    }
    let response = response.digested(digest)
    for attempt in 0..<3 {
      // A body that was removed before it had a record, with its directory or by a removal of
      // everything, is put there again.
      let body = try stage(response.body, isCopied: attempt > 0)
      do throws(FreshetError) {
        if try await insert(DiskRecord(response, digest: digest, body: .file(body.name))) {
          return response
        }
      } catch {
        body.undo()
        throw error
      }
    }
    throw .store("its body was removed each time it was moved into place")
  }

  /// Reports a body that is larger than the store may be, before it arrives.
  func announce(_ length: Int64, of url: URL) {
    let limit = shared.limits.bytes
    guard length > limit else { return }
    shared.report(.bodyTooLarge(url: Redaction.shown(url), bytes: length, limit: limit))
  }

  /// Replaces the head, the times and the tags of a stored response after a 304.
  ///
  /// - Parameter response: The response with its new head, and the body that the store returned.
  /// - Returns: The response as it is stored now.
  /// - Throws: ``FreshetError/store(_:)`` if the store no longer has the same body under the key,
  ///   and for the reasons of ``keep(_:)``; the earlier copy is unchanged.
  public func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    let digest = try digest(of: response)
    let record = DiskRecord(response, digest: digest, body: .inline(Data()))
    try await write(response) { transaction throws(SQLiteError) in
      try transaction.refresh(record).map { .late($0) } ?? .written
    }
    return response.digested(digest)
  }

  /// - Returns: A Boolean value that indicates whether its body still existed inside the
  ///   transaction, in which nothing else can remove it.
  @discardableResult
  private func insert(_ record: DiskRecord) async throws(FreshetError) -> Bool {
    try await write(record.response) { [layout = shared.layout] transaction throws(SQLiteError) in
      if case .file(let name) = record.body, access(layout.bodyPath(name), F_OK) != 0 {
        return .bodyIsGone
      }
      return try transaction.insert(record).map { .late($0) } ?? .written
    }
  }

  private enum Outcome: Sendable {
    case written
    case bodyIsGone
    case late(StoreFailure.Reason)
  }

  /// - Returns: A Boolean value that indicates whether it was written.
  @discardableResult
  private func write(
    _ response: StoredResponse,
    _ work: @escaping @Sendable (DiskTransaction) throws(SQLiteError) -> Outcome
  ) async throws(FreshetError) -> Bool {
    try await writeInvalidations(before: response)
    switch try await writer.performBriefly(work) {
    case .written: return true
    case .bodyIsGone: return false
    case .late(let late): throw late.error
    }
  }

  private func stage(
    _ body: ResourceBody,
    isCopied: Bool
  ) throws(FreshetError) -> StagedBody {
    do throws(FreshetError) {
      return try StagedBody(
        body,
        in: shared.layout,
        durability: configuration.durability,
        isCopied: isCopied
      )
    } catch {
      shared.couldNotWrite(error.storeReason)
      throw error
    }
  }

  private func digest(of response: StoredResponse) throws(FreshetError) -> SHA256Checksum {
    do throws(FreshetError) {
      return try response.sha256()
    } catch {
      throw error.store("the body could not be read")
    }
  }
}
