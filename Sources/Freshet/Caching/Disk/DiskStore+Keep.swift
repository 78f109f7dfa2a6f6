import Foundation
import Synchronization

extension DiskStore {
  /// Keeps a response in place of the one with the same key and the same varying fields.
  ///
  /// Cancelling the task does not take it back. A key has 32 variants at most, the newest ones.
  ///
  /// - Parameter response: What to keep. A large body in a temporary file is moved into the store if
  ///   it is on the same file system, and copied otherwise.
  /// - Returns: The response with its digest; its body is in memory if it was, in the store's file
  ///   if it was in a temporary one.
  /// - Throws: ``FreshetError/store(_:)`` if it could not be kept, is larger than the whole store may
  ///   be, is older than the stored one, or was asked for before its key was invalidated; the earlier
  ///   copy is untouched, and so is the response.
  public func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    guard Int64(response.cost) <= configuration.byteLimit else {
      throw .store("the response is larger than the store may be")
    }
    let digest = try digest(of: response)
    if response.body.length <= Int64(configuration.inlineLimit) {
      let response = try response.withBodyInMemory().with(digest: digest)
      let data = try response.body.data()
      try await insert(DiskRecord(response, digest: digest, body: .inline(data)))
      return response
    }
    try await open()
    let response = response.with(digest: digest)
    let body = try stage(response.body)
    do throws(FreshetError) {
      try await insert(DiskRecord(response, digest: digest, body: .file(body.name)))
    } catch {
      body.undo()
      throw error
    }
    return response
  }

  /// Replaces the head, the times and the tags of a stored response after a 304.
  ///
  /// - Parameter response: The response with its new head, and the body that the store handed out.
  /// - Returns: The response as it is stored now.
  /// - Throws: ``FreshetError/store(_:)`` if the store no longer has the same body under the key, and as
  ///   ``keep(_:)``; the earlier copy is untouched.
  public func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    let digest = try digest(of: response)
    let record = DiskRecord(response, digest: digest, body: .inline(Data()))
    try await write { transaction throws(SQLiteError) in try transaction.refresh(record) }
    return response.with(digest: digest)
  }

  private func insert(_ record: DiskRecord) async throws(FreshetError) {
    try await write { transaction throws(SQLiteError) in try transaction.insert(record) }
  }

  private func write(
    _ work: @escaping @Sendable (DiskTransaction) throws(SQLiteError) -> Late?
  ) async throws(FreshetError) {
    let late = try await writer.perform(work)
    if shared.invalidations.withLock({ !$0.isEmpty }) { await writeInvalidations() }
    if let late { throw late.error }
  }

  private func stage(_ body: ResourceBody) throws(FreshetError) -> StagedBody {
    do throws(FreshetError) {
      return try StagedBody(body, in: shared.layout, durability: configuration.durability)
    } catch {
      shared.couldNotWrite(error.storeReason)
      throw error
    }
  }

  private func digest(of response: StoredResponse) throws(FreshetError) -> SHA256Digest {
    if let digest = response.digest { return digest }
    do throws(FreshetError) {
      return try response.body.sha256()
    } catch {
      throw error.store("the body could not be read")
    }
  }
}

extension StoredResponse {
  fileprivate func with(digest: SHA256Digest) -> StoredResponse {
    self.digest == digest ? self : with(body: body, digest: digest)
  }
}
