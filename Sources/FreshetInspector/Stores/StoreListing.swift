import Freshet
import FreshetEssentials
import Synchronization

/// The entries of the stores of all clients as they were listed last, by the numbers that the page uses for them.
final class StoreListing: Sendable {
  struct Entry: Sendable {
    enum Place: Sendable {
      case memory(MemoryStore)
      case disk(DiskStore)
      case seed
    }

    let client: Int
    let place: Place
    /// The response without its body, so that a list keeps none that its store has removed.
    let response: StoredResponse
    let length: Int64
  }

  private struct State {
    var entries: [Int: Entry] = [:]
    var next = 1
  }

  private let state = Mutex(State())

  /// The largest number of entries of a store that are listed.
  static let maximumCount = 2_000

  func entry(_ id: Int) -> Entry? { state.withLock { $0.entries[id] } }

  /// Replaces the entries, and returns their numbers; numbers of earlier listings are no longer valid.
  func replace(_ entries: [Entry]) -> [(id: Int, entry: Entry)] {
    state.withLock { state in
      state.entries = [:]
      return entries.map { entry in
        defer { state.next += 1 }
        state.entries[state.next] = entry
        return (state.next, entry)
      }
    }
  }
}

extension StoreListing.Entry {
  var kind: String {
    switch place {
    case .memory: "memory"
    case .disk: "disk"
    case .seed: "seed"
    }
  }

  /// Removes the variant; seeds are only read.
  ///
  /// - Returns: A Boolean value that indicates whether it could be removed.
  func remove() async -> Bool {
    switch place {
    case .memory(let store): await store.remove(response)
    case .disk(let store):
      do { try await store.remove(response) } catch { return false }
    case .seed: return false
    }
    return true
  }
}

extension InspectedClient {
  /// The number and the bytes of all entries of a store.
  typealias StoreCount = (client: Int, store: String, count: Int, bytes: Int64)

  /// Lists the entries of the stores, and their counts by store.
  func stores() async -> (entries: [StoreListing.Entry], counts: [StoreCount]) {
    let configuration = client.configuration
    var entries: [StoreListing.Entry] = []
    var counts: [StoreCount] = []
    if let memory = configuration.memory {
      let responses = memory.responses
      entries += largest(responses.map { ($0, $0.body.length) }, in: .memory(memory))
      counts.append((number, "memory", responses.count, Int64(memory.cost)))
    }
    if let disk = configuration.disk {
      entries += await list(disk)
      if let statistics = try? await disk.statistics() {
        counts.append((number, "disk", statistics.count, statistics.bytes))
      }
    }
    if let seeds = configuration.seeds {
      // Their bodies are open files.
      let responses = seeds.responses().map { ($0.withoutBody, $0.body.length) }
      entries += largest(responses, in: .seed)
      counts.append((number, "seed", responses.count, responses.reduce(0) { $0 + $1.1 }))
    }
    return (entries, counts)
  }

  private func list(_ disk: DiskStore) async -> [StoreListing.Entry] {
    var listed: [DiskStore.Entry] = []
    do {
      for try await entry in disk.entries {
        listed.append(entry)
        // The largest are the ones to look at, and memory stays bounded.
        if listed.count > 2 * StoreListing.maximumCount {
          listed.sort { $0.length > $1.length }
          listed.removeLast(listed.count - StoreListing.maximumCount)
        }
      }
    } catch {
      // What could be read is shown.
    }
    listed.sort { $0.length > $1.length }
    var entries: [StoreListing.Entry] = []
    for listing in listed.prefix(StoreListing.maximumCount) {
      guard let response = await disk.responseWithoutBody(for: listing) else { continue }
      entries.append(entry(.disk(disk), response, listing.length))
    }
    return entries
  }

  /// The entries of the largest responses.
  private func largest(
    _ responses: [(response: StoredResponse, length: Int64)],
    in place: StoreListing.Entry.Place
  ) -> [StoreListing.Entry] {
    responses.sorted { $0.length > $1.length }
      .prefix(StoreListing.maximumCount)
      .map { entry(place, $0.response.withoutBody, $0.length) }
  }

  private func entry(
    _ place: StoreListing.Entry.Place,
    _ response: StoredResponse,
    _ length: Int64
  ) -> StoreListing.Entry {
    StoreListing.Entry(client: number, place: place, response: response, length: length)
  }
}

extension StoreListing.Entry {
  /// Adds the entry with its freshness now, and the seconds until it changes.
  func add(to text: inout JSONText, id: Int, _ configuration: Client.Configuration) {
    let policy = configuration.policy
    let now = configuration.now()
    let outlook = response.outlook(expiry: policy.expiry, limits: policy.staleLimits, now: now)
    text.add("id", id)
    text.add("client", client)
    text.add("store", kind)
    text.add("url", Redaction.shown(response.key.url ?? response.head.url))
    text.add("partition", response.key.partition)
    text.add("status", response.head.status.rawValue)
    text.add("type", Printable.line(response.head.headers[.contentType] ?? ""))
    text.add("bytes", length)
    text.add("stored", response.responseTime.timeIntervalSince1970 * 1_000)
    text.array("tags", response.tags.sorted())
    text.array("varies", response.varying.fields.map(\.name))
    text.add("age", outlook.freshness.age)
    text.add("lifetime", outlook.freshness.lifetime)
    text.add("rule", outlook.freshness.rule.rawValue)
    text.add("whileRevalidating", outlook.staleWhileRevalidate)
    text.add("onError", outlook.staleIfError)
    text.add("mustValidate", outlook.mustValidate)
    text.add("words", Printable.line("\(outlook.freshness)"))
  }

  /// The steps of a fetch of the entry now, of which none is taken: of its URL in its partition, with the fields that
  /// select its variant.
  ///
  /// Where a store has only a digest of such a field, the fetch does without it, and its name is added.
  func plan(by client: Client) async -> [UInt8] {
    guard let url = response.key.url else {
      let problem = "its key has more than its URL, so that the request of its fetch is not known"
      return JSONText.object { $0.add("error", problem) }
    }
    var request = Request(.get, url)
    request.headers = response.varying.knownFields
    let unknown = response.varying.mismatches(client.question(for: request).headers)
    do throws(FreshetError) {
      let plan = try await client.chain(for: request, partition: response.key.partition).plan()
      return JSONText.object { text in
        text.array("unknown", unknown)
        text.array("explanation", plan.step.decisions)
        text.add("sends", plan.request.map { "\($0)" })
        text.add("stage", plan.stage?.description)
        if let request = plan.request {
          text.array(
            "fields",
            DiagnosticMessage(request, limit: 0).headers.map { "\($0.name): \($0.value)" }
          )
        }
        if let position = plan.resumesAt { text.add("resumesAt", position) }
        text.add("shownMeanwhile", plan.announced.map { "\($0)" })
      }
    } catch {
      return JSONText.object { $0.add("error", Printable.line(error.description)) }
    }
  }
}

extension Fetch {
  var decisions: [String] {
    let explanation: Explanation =
      switch self {
      case .wanted(let wanted): wanted.explanation
      case .found(let found): found.explanation
      case .expired(let expired): expired.explanation
      case .downloaded(let downloaded): downloaded.explanation
      case .resource(let resource): resource.explanation
      case .progress: Explanation()
      }
    return explanation.map(\.description)
  }
}
