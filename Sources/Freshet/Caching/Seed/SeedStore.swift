public import FreshetEssentials
import Synchronization

/// The responses that an app ships, so that the first launch shows something at once and the first
/// request is answered by a 304.
///
/// It is a folder with a manifest, `seeds.json`, and a file for each body; `freshet seed` and
/// ``SeedBuilder`` make one. A folder of Docker's (`ResourceInfos.plist` and MD5 names) works
/// unchanged.
///
/// - Nothing is read before the first use, and nothing is ever written.
/// - A downloaded response has precedence over a seed, unless the seed is newer, see ``Fetch``'s
///   `lookup(in:)`: an update of the app may bring newer seeds.
/// - A seed answers in every partition. Its freshness follows from its headers and from the time it
///   was received, as for any other response; one that has expired is shown while it is being
///   validated.
/// - A body is verified: one of at most 256 KiB before it is returned, a larger one by the first
///   reader that reads it as a whole, which fails with
///   ``FreshetError/corrupted(expected:actual:url:)`` if it is damaged. From then on that seed is a
///   miss for this store.
/// - Any other seed that is damaged, or whose name, size or kind of file is wrong, is a miss, and a
///   ``Diagnostic`` reports the reason.
///
/// ```swift
/// let client = Client { $0.seeds = SeedStore(directory: seeds) }
/// ```
public final class SeedStore: ResourceSource {
  /// The shipped responses, see ``Resource/Source/seed``.
  public let source = Resource.Source.seed
  /// The folder of the manifest and the bodies.
  public let directory: URL
  private let listener: (@Sendable (Diagnostic) -> Void)?
  private let state = Mutex(State())

  private struct State {
    var index: SeedIndex?
    var verified: Set<String> = []
    var refused: Set<String> = []
    /// The files whose bytes do not match their digest.
    var damaged: Set<String> = []
    /// The keys that have changed at the origin, among those that have seeds.
    var obsolete: Set<CacheKey> = []

    func isObsolete(_ key: CacheKey) -> Bool {
      !obsolete.isEmpty && key.roots.contains { obsolete.contains($0) }
    }
  }

  /// The largest body that is verified before it is returned, in bytes.
  private static let inlineLimit: Int64 = 256 << 10

  /// Makes a store of the seeds in a folder; nothing is read yet.
  ///
  /// - Parameters:
  ///   - directory: The folder.
  ///   - onDiagnostic: A closure that receives problems with the seeds, on any thread.
  public init(directory: URL, onDiagnostic: (@Sendable (Diagnostic) -> Void)? = nil) {
    self.directory = directory
    listener = onDiagnostic
  }
}

// MARK: - Looking up

extension SeedStore {
  /// Returns the seed for the key that answers a request with these headers, or `nil`.
  ///
  /// - Parameters:
  ///   - key: The key, in any partition.
  ///   - headers: The request's headers, which select among variants.
  /// - Returns: The response under that key, fresh or not.
  public func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    let own = key.moved(to: "")
    let found = withIndex { state, index in state.isObsolete(own) ? [] : index.entries(own) }
    let responses =
      found.filter {
        $0.varyingFields.fit(headers, in: $0.head?.languages ?? []) != .none
      }
      .compactMap { response($0, key) }
    return responses.count < 2 ? responses.first : VariantChoice.best(of: responses, for: headers)
  }

  /// Removes the seeds of a key, and of those that extend it, in all partitions, for the lifetime of
  /// this store.
  ///
  /// A ``DiskStore`` after it in the chain records the change for later launches, see
  /// ``ResourceSource/invalidationTime(of:)``.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - time: The time of the change; every seed was received before.
  public func invalidate(_ key: CacheKey, at time: Date) async {
    let own = key.moved(to: "")
    withIndex { state, index in
      // Most keys that are invalidated have no seeds.
      if index.hasEntries(coveredBy: own) { state.obsolete.insert(own) }
    }
  }

  /// The seeds of the manifest, in its order; none for a folder of Docker's, whose names do not
  /// reveal their URLs.
  public var seeds: [Seed] { withIndex { _, index in index.all }.compactMap(Seed.init) }

  /// Reads all seeds of the manifest.
  ///
  /// - Returns: A problem for each seed that is invalid or damaged; empty if there is none.
  public func verify() -> [Diagnostic] {
    let all = withIndex { _, index in index.all }
    return all.compactMap { entry in
      problem(with: entry).map { .refused(file: entry.file, reason: $0) }
    }
  }

  private func problem(with entry: SeedManifest.Entry) -> String? {
    guard entry.head != nil else { return Self.invalidHead }
    do throws(FreshetError) {
      let digest = try body(entry).sha256()
      return digest.hex == entry.sha256.lowercased() ? nil : Self.wrongBytes
    } catch {
      return error.storeFailure?.description ?? "its body could not be read: \(error)"
    }
  }

  private static let invalidHead = "its URL, status or headers are not valid"
  private static let wrongBytes = "its body does not match its digest"

  /// Calls a closure with the state and the index, which the first call reads.
  private func withIndex<Value: Sendable>(_ body: (inout State, SeedIndex) -> Value) -> Value {
    let (value, problem) = state.withLock { state in
      let (index, problem) = readIndex(&state)
      return (body(&state, index), problem)
    }
    // After the lock: the listener may use the store.
    if let problem { listener?(.unusable(reason: problem)) }
    return value
  }

  /// - Returns: The index, and the reason why its manifest cannot be used, if that has just been found.
  private func readIndex(_ state: inout State) -> (index: SeedIndex, problem: String?) {
    if let index = state.index { return (index, nil) }
    let index: SeedIndex
    var problem: String?
    do throws(FreshetError) {
      index = try SeedIndex(directory)
    } catch {
      index = SeedIndex()
      problem = error.storeReason
    }
    state.index = index
    return (index, problem)
  }

  func response(_ entry: SeedManifest.Entry, _ key: CacheKey) -> StoredResponse? {
    do throws(FreshetError) {
      guard let head = entry.head else { throw .store(Self.invalidHead) }
      return StoredResponse(
        key: key,
        varying: entry.varyingFields,
        head: head,
        body: try body(entry),
        digest: SHA256Checksum(hex: entry.sha256),
        requestTime: entry.received,
        responseTime: entry.received,
        tags: Set(entry.tags ?? [])
      )
    } catch {
      refuse(entry.file, error.storeReason)
      return nil
    }
  }

  /// Returns the valid seeds of the manifest, without any that were invalidated; each is opened when it is reached.
  package func responses() -> some Sequence<StoredResponse> {
    let entries = withIndex { state, index in
      index.all.filter { $0.cacheKey.map { !state.isObsolete($0) } ?? false }
    }
    return entries.lazy.compactMap { entry in entry.cacheKey.flatMap { self.response(entry, $0) } }
  }

  private func refuse(_ file: String, _ reason: String) {
    let isNews = state.withLock { $0.refused.insert(file).inserted }
    if isNews { listener?(.refused(file: file, reason: reason)) }
  }
}

// MARK: - Bodies

extension SeedStore {
  private func body(_ entry: SeedManifest.Entry) throws(FreshetError) -> ResourceBody {
    guard let url = SeedManifest.place(of: entry.file, in: directory) else {
      throw .store("its name leads out of the directory")
    }
    let file: OpenFile
    do throws(FileFailure) {
      let status: stat
      (file, status) = try OpenFile.regular(url.path, O_RDONLY | O_NOFOLLOW)
      guard Int64(status.st_size) == entry.length else { throw FileFailure("trust", EFBIG, nil) }
    } catch {
      throw .store(error.code == EFBIG ? "its body has the wrong length" : error.reason)
    }
    // A seed of Docker's has no digest to compare with.
    guard !entry.sha256.isEmpty else { return body(file, url, entry, nil) }
    guard let digest = SHA256Checksum(hex: entry.sha256) else {
      throw .store("its digest is not a SHA-256")
    }
    if state.withLock({ $0.damaged.contains(entry.file) }) { throw .store(Self.wrongBytes) }
    if state.withLock({ $0.verified.contains(entry.file) }) { return body(file, url, entry, nil) }
    let body = body(file, url, entry, digest)
    guard entry.length <= Self.inlineLimit else { return body }
    do throws(FreshetError) {
      return ResourceBody(try body.data())
    } catch {
      throw .store(Self.wrongBytes)
    }
  }

  private func body(
    _ file: OpenFile,
    _ url: URL,
    _ entry: SeedManifest.Entry,
    _ digest: SHA256Checksum?
  ) -> ResourceBody {
    let verification = digest.map { digest in
      BodyVerification(digest) { isRight in
        if isRight {
          self.state.withLock { state in _ = state.verified.insert(entry.file) }
        } else {
          self.state.withLock { state in _ = state.damaged.insert(entry.file) }
          self.refuse(entry.file, Self.wrongBytes)
        }
      }
    }
    return ResourceBody(
      BodyFile(
        file,
        url: url,
        length: entry.length,
        isTemporary: false,
        verification: verification
      )
    )
  }
}
