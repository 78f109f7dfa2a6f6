import Foundation

/// Writes the results of fetches into one store, see ``Persist``.
struct StoreWriter: Sendable {
  let store: any ResourceStore
  let expiry: ExpiryPolicy

  /// Writes what belongs into the store.
  ///
  /// - Parameters:
  ///   - step: A result.
  ///   - began: The instant at which its fetch began: what was removed since then does not come back from a
  ///     slower store.
  /// - Returns: The step, its response as it is stored.
  /// - Throws: The failure that a copy stood in for which cannot be read.
  nonisolated(nonsending) func write(
    _ step: Fetch,
    since began: EventInstant
  ) async throws(FreshetError) -> Fetch {
    switch step {
    case .downloaded(let downloaded):
      return .downloaded(await persist(downloaded))
    case .resource(let resource):
      if let failure = resource.outage?.error.storable { _ = await persist(failure) }
      return promotes(resource) ? try await promote(resource, since: began) : step
    default:
      return step
    }
  }

  /// Lets the stored copy expire if the failure says that the resource is gone.
  nonisolated(nonsending) func learn(from error: FreshetError) async {
    if let refused = error.refused { await expire(refused) }
  }
}

// MARK: - Steps

extension StoreWriter {
  /// Hands out what is in memory then, so that no hit keeps a file open.
  ///
  /// A copy whose file cannot be read is none: the stages that follow download it again, and where the
  /// network has failed before, that is the error. One that the store has something newer than, that
  /// has been removed meanwhile, or that is too large for the store is an answer all the same.
  private func promote(
    _ resource: Resource,
    since began: EventInstant
  ) async throws(FreshetError) -> Fetch {
    do throws(FreshetError) {
      return .resource(resource.with(try await store.keep(resource.response.asked(at: began))))
    } catch {
      let answers = [Late.older.error, Late.cleared.error, .tooLargeForStore]
      guard resource.origin == .disk, !answers.contains(error) else {
        return .resource(resource)
      }
    }
    if let outage = resource.outage { throw outage.error }
    return .wanted(
      Fetch.Wanted(
        resource.context,
        explanation: resource.explanation.adding(.missed(resource.origin))
      )
    )
  }

  /// A Boolean value that indicates whether the store takes something of a result that was not
  /// downloaded.
  func writes(_ resource: Resource) -> Bool {
    promotes(resource) || resource.outage?.error.storable != nil
  }

  /// A Boolean value that indicates whether the store takes what a slower one had.
  func promotes(_ resource: Resource) -> Bool {
    resource.isFinal && resource.origin != .memory && store.origin == .memory
      && resource.status != .partialContent && resource.status != .notModified
  }

  private func persist(_ downloaded: Fetch.Downloaded) async -> Fetch.Downloaded {
    var downloaded = downloaded
    let response = downloaded.response
    if let reason = await objection(to: downloaded) {
      downloaded.explanation.add(.notStored(store.origin, because: reason))
      if StoragePolicy.forbidsStoring(response.head) {
        await forget(downloaded)
      } else {
        await expire(downloaded)
      }
      return downloaded
    }
    do {
      let rival = await rival(of: downloaded)
      downloaded.response = try await keep(downloaded)
      downloaded.explanation.add(.stored(store.origin))
      if let rival {
        // The origin chose otherwise for the same request: the former choice would come back.
        try? await store.remove(rival)
      }
    } catch {
      downloaded.explanation.add(.notStored(store.origin, because: error.description))
      // What comes late is not newer, and what was confirmed is as good as before.
      if Late(error) == nil, !downloaded.isValidated, downloaded.endsCopy {
        await expire(downloaded)
      }
    }
    return downloaded
  }

  /// Why the response is not stored, if it is not.
  private func objection(to downloaded: Fetch.Downloaded) async -> String? {
    var request = downloaded.request
    // A HEAD that has validated a copy brings that copy's GET up to date (section 4.3.4).
    if downloaded.isValidated, request.method == .head { request.method = .get }
    let response = downloaded.response
    let storability = StoragePolicy.storability(of: response.head, for: request, expiry: expiry)
    if case .notStorable(let reason) = storability { return reason.rawValue }
    let names = downloaded.context.unknownFields(of: response)
    guard names.isEmpty else {
      return "it was sent with fields that no lookup knows of: \(names.joined(separator: ", "))"
    }
    guard response.isRefusal, !store.keepsErrorsBeside,
      await stored(for: downloaded)?.isRefusal == false
    else { return nil }
    return "it would take the place of a copy"
  }

  /// What would answer the same request.
  private func stored(for downloaded: Fetch.Downloaded) async -> StoredResponse? {
    await store.find(downloaded.context.key, for: downloaded.context.headers)
  }

  /// Removes what the store has for the request, older than a response that must not be stored.
  private func forget(_ downloaded: Fetch.Downloaded) async {
    let stored = await stored(for: downloaded)
    let old = [stored, stored?.copyOfResource, downloaded.superseded].compactMap(\.self)
    for old in old where !old.outranks(downloaded.response) { try? await store.remove(old) }
  }

  /// Lets the stored copy expire that would answer the same request although something newer came.
  private func expire(_ downloaded: Fetch.Downloaded) async {
    guard downloaded.isAboutWhole, let stored = await stored(for: downloaded) else { return }
    if stored.isRefusal, !downloaded.response.isRefusal, !stored.outranks(downloaded.response) {
      try? await store.remove(stored)
    }
    guard let old = stored.copyOfResource,
      old.requestTime != CacheRecord.unknownTime, !old.outranks(downloaded.response),
      downloaded.request.method == .head
        ? Validation.contradicts(downloaded.response.head, old)
        : !Validation.isSame(downloaded.response.head, as: old)
    else { return }
    await store.expire(old)
  }

  /// The stored response that would answer the same request beside the new one, under other varying
  /// fields.
  private func rival(of downloaded: Fetch.Downloaded) async -> StoredResponse? {
    var old = downloaded.superseded
    let hasLooked = downloaded.explanation.contains {
      $0 == .missed(store.origin) || $0 == .hit(store.origin)
    }
    if !hasLooked { old = await stored(for: downloaded) ?? old }
    // An error takes no copy's place, and stores end errors themselves.
    if !downloaded.response.isRefusal { old = old?.copyOfResource }
    // One in the preferred language that other fields chose still answers those.
    guard let old, old.varying != downloaded.response.varying,
      old.varying.match(downloaded.context.headers), old.isRefusal == downloaded.response.isRefusal,
      !old.outranks(downloaded.response)
    else { return nil }
    return old
  }

  /// Keeps the response without the fields that are not stored (RFC 9111 section 3.1), and hands
  /// it back with them.
  private func keep(
    _ downloaded: Fetch.Downloaded
  ) async throws(FreshetError) -> StoredResponse {
    let response = downloaded.response
    let head = StoragePolicy.stored(response.head)
    let isWhole = head.headers.count == response.head.headers.count
    let storable = isWhole ? response : response.under(head)
    let kept = try await keep(storable, downloaded)
    return isWhole ? kept : kept.under(response.head)
  }

  private func keep(
    _ response: StoredResponse,
    _ downloaded: Fetch.Downloaded
  ) async throws(FreshetError) -> StoredResponse {
    guard case .validated(let origin) = downloaded.change,
      response.varying == downloaded.superseded?.varying
    else { return try await store.keep(response) }
    do throws(FreshetError) {
      return try await store.refresh(response)
    } catch .store(Late.removed.rawValue) where origin != store.origin {
      // The copy came from elsewhere, a seed or the memory, and was confirmed there.
      return try await store.keep(response)
    }
  }
}

extension Fetch.Downloaded {
  fileprivate var isValidated: Bool {
    if case .validated = change { true } else { false }
  }

  /// Whether it says that the copy is not right any more: other errors than 404 and 410 do not.
  fileprivate var endsCopy: Bool {
    !response.isRefusal || response.head.status.isGone
  }

  /// Whether it says something of what a `GET` for the key would get, and for the same requests.
  fileprivate var isAboutWhole: Bool {
    !request.isUnsafe && (request.body == nil || request.isIdentifiedWhole)
      && response.head.status != .partialContent && context.unknownFields(of: response).isEmpty
  }
}

extension FreshetError {
  /// The network's answer that the resource is gone, if that is the error.
  fileprivate var refused: Fetch.Downloaded? {
    guard case .status(let head, _) = self, head.status.isGone else { return nil }
    return head.notes.story?.refused
  }

  /// The network's answer that failed and may be stored, if that is the error.
  fileprivate var storable: Fetch.Downloaded? {
    guard case .status(let head, _) = self, let story = head.notes.story, story.isStorable else {
      return nil
    }
    return story.refused
  }
}

extension HTTPStatus {
  /// Whether it says that there is no such resource.
  fileprivate var isGone: Bool { self == .notFound || rawValue == 410 }
}
