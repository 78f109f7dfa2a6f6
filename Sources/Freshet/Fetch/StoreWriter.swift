import FreshetEssentials

/// Writes the results of fetches to one store, see ``Persist``.
struct StoreWriter: Sendable {
  let store: any ResourceStore
  let expiry: ExpiryPolicy

  /// Writes a step to the store, if it belongs there.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - began: The instant at which its fetch began. A copy from a slower store that was removed since
  ///     then is not stored again.
  ///   - isLast: A Boolean value that indicates whether no stage follows that fetches what is wanted.
  /// - Returns: The step, with its response as it is stored.
  /// - Throws: The failure that a stale copy was to replace, if that copy cannot be read.
  nonisolated(nonsending) func write(
    _ step: Fetch,
    since began: EventInstant,
    isLast: Bool
  ) async throws(FreshetError) -> Fetch {
    switch step {
    case .downloaded(let downloaded):
      return .downloaded(await persist(downloaded, since: began))
    case .resource(let resource):
      if let failure = resource.outage?.value.storable {
        _ = await persist(failure, since: began)
      }
      return promotes(resource) ? try await promote(resource, since: began, isLast) : step
    default:
      return step
    }
  }

  /// Marks the stored copy as expired if the failure says that the resource is gone.
  nonisolated(nonsending) func learn(from error: FreshetError) async {
    if let refused = error.refused { await expire(refused) }
  }
}

// MARK: - Steps

extension StoreWriter {
  /// Stores a copy from a slower store, and returns the one in memory, so that a hit does not keep a
  /// file open.
  ///
  /// A copy whose file cannot be read, and one that was invalidated in the meantime, count as misses: the
  /// following stages download it again, or, if the network has failed before, that failure is thrown. A copy
  /// that is outdated, was removed in the meantime, or is too large for the store is delivered nevertheless, and
  /// so is an invalidated one if no stage follows that would fetch it.
  private func promote(
    _ resource: Resource,
    since began: EventInstant,
    _ isLast: Bool
  ) async throws(FreshetError) -> Fetch {
    do throws(FreshetError) {
      return .resource(resource.with(try await store.keep(resource.response.asked(at: began))))
    } catch {
      let answers: [StoreFailure.Reason] = [.older, .removed, .tooLarge]
      let reason = error.storeFailure?.reason
      let isAnswer = reason.map(answers.contains) ?? false
      let isLate = isLast && resource.outage == nil && reason == .invalidated
      guard resource.source == .disk, !isAnswer, !isLate else { return .resource(resource) }
    }
    if let outage = resource.outage { throw outage.value }
    return .wanted(
      Fetch.Wanted(
        resource.context,
        explanation: resource.explanation.adding(.missed(resource.source))
      )
    )
  }

  /// Returns whether the store stores something of a result that was not downloaded.
  func writes(_ resource: Resource) -> Bool {
    promotes(resource) || resource.outage?.value.storable != nil
  }

  /// Returns whether the store stores a copy from a slower one.
  func promotes(_ resource: Resource) -> Bool {
    resource.isFinal && resource.source != .memory && store.source == .memory
      && resource.status != .partialContent && resource.status != .notModified
  }

  private func persist(
    _ downloaded: Fetch.Downloaded,
    since began: EventInstant
  ) async -> Fetch.Downloaded {
    var downloaded = downloaded
    let response = downloaded.response
    if let reason = await objection(to: &downloaded) {
      downloaded.explanation.add(.notStored(store.source, because: reason))
      if StoragePolicy.forbidsStoring(response.head) {
        await forget(downloaded)
      } else {
        await expire(downloaded)
      }
      return downloaded
    }
    do {
      let rival = await rival(of: downloaded)
      downloaded.response = try await keep(downloaded, since: began)
      downloaded.explanation.add(.stored(store.source))
      if let rival {
        // The origin has selected another response for this request: the former one must not be found again.
        try? await store.remove(rival)
      }
    } catch {
      downloaded.explanation.add(.notStored(store.source, because: error.description))
      // A late response is not newer than the copy, and a confirmed copy is still valid.
      if error.storeFailure?.isLate != true, !downloaded.isValidated, downloaded.endsCopy {
        await expire(downloaded)
      }
    }
    return downloaded
  }

  /// Returns the reason why the response is not stored, or `nil`.
  private func objection(to downloaded: inout Fetch.Downloaded) async -> String? {
    var request = downloaded.request
    // A HEAD that has confirmed a copy updates the one of the GET (RFC 9111 section 4.3.4).
    if downloaded.isValidated, request.method == .head { request.method = .get }
    let response = downloaded.response
    let storability = StoragePolicy.storability(of: response.head, for: request, expiry: expiry)
    if case .notStorable(let reason) = storability { return reason.rawValue }
    if downloaded.isError == nil, downloaded.request.isError != nil {
      downloaded.isError = await downloaded.judged()
    }
    if downloaded.isError == true { return "its endpoint says that it is an error" }
    let names = downloaded.context.unknownFields(of: response)
    guard names.isEmpty else {
      return "it was sent with fields that a lookup cannot see: \(names.joined(separator: ", "))"
    }
    guard response.isRefusal, !store.keepsErrorsBeside,
      await stored(for: downloaded)?.isRefusal == false
    else { return nil }
    return "it would replace a stored copy"
  }

  /// Returns the stored response to the same request.
  private func stored(for downloaded: Fetch.Downloaded) async -> StoredResponse? {
    await store.find(downloaded.context.key, for: downloaded.context.headers)
  }

  /// Removes the stored responses to the request, and parts of them, that are older than one that must
  /// not be stored.
  private func forget(_ downloaded: Fetch.Downloaded) async {
    let (context, response) = (downloaded.context, downloaded.response)
    await store.removeParts(of: context.key, for: context.headers) { !$0.outranks(response) }
    let stored = await stored(for: downloaded)
    let old = [stored, stored?.copyOfResource, downloaded.superseded].compactMap(\.self)
    for old in old where !old.outranks(downloaded.response) { try? await store.remove(old) }
  }

  /// Marks the stored copy as expired if it would still be the response to the request although a newer
  /// one was received; stored parts are removed.
  private func expire(_ downloaded: Fetch.Downloaded) async {
    guard downloaded.isAboutWhole else { return }
    if downloaded.endsCopy { await removeParts(endedBy: downloaded) }
    guard let stored = await stored(for: downloaded) else { return }
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

  /// Removes the parts that are stored for the request, unless they are of the same version.
  private func removeParts(endedBy downloaded: Fetch.Downloaded) async {
    let (context, response) = (downloaded.context, downloaded.response)
    let isHead = downloaded.request.method == .head
    await store.removeParts(of: context.key, for: context.headers) { whole in
      let isEnded =
        isHead
        ? Validation.contradicts(response.head, whole)
        : !Validation.isSame(response.head, as: whole)
      return isEnded && !whole.outranks(response)
    }
  }

  /// Returns the stored response that would be found for the same request, with other varying fields
  /// than the new one.
  private func rival(of downloaded: Fetch.Downloaded) async -> StoredResponse? {
    var old = downloaded.superseded
    let hasLooked = downloaded.explanation.contains {
      $0 == .missed(store.source) || $0 == .hit(store.source)
    }
    if !hasLooked { old = await stored(for: downloaded) ?? old }
    // An error does not replace a copy, and stores expire errors themselves.
    if !downloaded.response.isRefusal { old = old?.copyOfResource }
    // A copy in the preferred language that other fields selected is still valid for those.
    guard let old, old.varying != downloaded.response.varying,
      old.varying.match(downloaded.context.headers), old.isRefusal == downloaded.response.isRefusal,
      !old.outranks(downloaded.response)
    else { return nil }
    return old
  }

  /// Stores the response without the fields that must not be stored (RFC 9111 section 3.1), and returns
  /// it with them.
  private func keep(
    _ downloaded: Fetch.Downloaded,
    since began: EventInstant
  ) async throws(FreshetError) -> StoredResponse {
    let response = downloaded.response
    let head = StoragePolicy.stored(response.head)
    let isWhole = head.headers.count == response.head.headers.count
    let storable = isWhole ? response : response.under(head)
    let kept = try await keep(storable, downloaded, since: began)
    return isWhole ? kept : kept.under(response.head)
  }

  private func keep(
    _ response: StoredResponse,
    _ downloaded: Fetch.Downloaded,
    since began: EventInstant
  ) async throws(FreshetError) -> StoredResponse {
    guard case .validated(let source) = downloaded.change else {
      return try await store.keep(response)
    }
    // The body was found when the fetch began, which may be long before the validation.
    guard response.varying == downloaded.superseded?.varying else {
      return try await store.keep(response.asked(at: began))
    }
    do throws(FreshetError) {
      return try await store.refresh(response)
    } catch .store(let failure) where failure.reason == .bodyRemoved && source != store.source {
      // The copy came from another store, such as a seed or the memory, and was confirmed there.
      return try await store.keep(response.asked(at: began))
    }
  }
}

extension Fetch.Downloaded {
  /// Returns whether the call says that the success is an error.
  ///
  /// A body that cannot be read, or is longer than a call collects, is none.
  @concurrent
  fileprivate func judged() async -> Bool {
    guard let isError = request.isError, response.head.status.isSuccess, !isValidated,
      let body = try? response.body.data()
    else { return false }
    var whole = Response(head: response.head, value: body)
    whole.record.call = CallRecord(request: request, explanation: explanation)
    return isError(whole)
  }

  fileprivate var isValidated: Bool {
    if case .validated = change { true } else { false }
  }

  /// A Boolean value that indicates whether the copy is outdated, which errors other than 404 and 410
  /// do not imply.
  fileprivate var endsCopy: Bool { !response.isRefusal || response.head.status.isGone }

  /// A Boolean value that indicates whether the response applies to a `GET` for the key, and to the
  /// same requests.
  fileprivate var isAboutWhole: Bool {
    !request.isUnsafe && (request.body == nil || request.isIdentifiedWhole)
      && response.head.status != .partialContent && context.unknownFields(of: response).isEmpty
  }
}

extension FreshetError {
  /// The error response of the network, if it says that the resource is gone.
  fileprivate var refused: Fetch.Downloaded? {
    guard case .status(let head, _) = self, head.status.isGone else { return nil }
    return head.notes.story?.refused
  }

  /// The error response of the network, if it may be stored.
  fileprivate var storable: Fetch.Downloaded? {
    guard case .status(let head, _) = self, let story = head.notes.story, story.isStorable else {
      return nil
    }
    return story.refused
  }
}

extension HTTPStatus {
  /// A Boolean value that indicates whether the status says that the resource does not exist.
  var isGone: Bool { self == .notFound || rawValue == 410 }
}
