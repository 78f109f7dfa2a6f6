import FreshetEssentials

/// The blocks of a resource that are in memory, and those that are being fetched.
actor RemoteBlocks {
  nonisolated let request: Request
  private let client: Client
  private let policy: ResourcePolicy?
  private let size: Int64
  private let limit: Int
  /// The largest number of blocks that are fetched at the same time; the others can be held.
  private let maximumFetches: Int
  /// The largest number of blocks that are fetched in advance for one reader.
  private let readAhead: Int

  private var version: Version?
  private var whole: Resource?
  private var held: [Int64: (data: Data, use: Int)] = [:]
  private var fetches: [Int64: Fetching] = [:]
  private var uses = 0
  /// The number of changes of the version.
  private var epoch = 0
  /// A Boolean value that indicates whether a block past the end was requested before the length was known.
  private var isPastEnd = false
  /// The ends of the last reads, the newest one last, and for each the number of consecutive reads that
  /// continued the previous one.
  private var readings: [(end: Int64, streak: Int)] = []

  /// The identity of a version.
  struct Version: Sendable, Hashable {
    let content: Content
    /// A counter that separates fetches before a change from those after it.
    let number: Int

    var length: Int64 { content.length }
  }

  /// The validator and the length of a version.
  struct Content: Sendable, Hashable {
    let validator: StrongValidator?
    let length: Int64
  }

  private struct Fetching {
    let task: Task<Void, Never>
    /// The block; `nil` to look again.
    let outcome: Promise<Data?>
    let isAhead: Bool
    /// The number of readings that wait for it.
    var waiting = 0
  }

  /// The result of fetching a block.
  private enum Arrival: Sendable {
    case block(Data, Content)
    case whole(Resource)
    /// There is no such block in the current version.
    case missing
  }

  /// The number of times that a read is restarted.
  private static let restarts = 5
  /// The number of blocks that a read fetches at once.
  private static let concurrency = 4
  /// The number of times that a server may send less than requested for one block.
  private static let pieces = 64
  /// The number of readers whose next blocks are fetched in advance.
  private static let readers = 4

  init(
    _ client: Client,
    _ request: Request,
    _ policy: ResourcePolicy?,
    _ configuration: RemoteBytes.Configuration
  ) {
    self.client = client
    self.request = request
    self.policy = policy
    let size = max(configuration.blockSize, 4 << 10)
    self.size = Int64(size)
    limit = max(2, configuration.memoryLimit / size)
    maximumFetches = limit / 2
    readAhead = max(0, configuration.readAhead)
  }

  deinit {
    for fetching in fetches.values { fetching.task.cancel() }
  }
}

extension RemoteBlocks {
  /// The size of the blocks that are held, and of those that are on their way.
  var heldBytes: Int { held.values.reduce(0) { $0 + $1.data.count } + fetches.count * Int(size) }
}

// MARK: - Reading

extension RemoteBlocks {
  func length() async throws(FreshetError) -> Int64 {
    for _ in 0..<Self.restarts where version == nil { try await wait(for: 0) }
    guard let version else { throw unsteady }
    return version.length
  }

  func read(_ range: Range<Int64>) async throws(FreshetError) -> Data {
    try check(range)
    if range.isEmpty { return Data() }
    for _ in 0..<Self.restarts {
      if let data = try await tryToRead(range) { return data }
    }
    throw unsteady
  }

  /// The failure of a reading that was restarted too often.
  private var unsteady: FreshetError {
    .invalidResponse("it changed while it was read", url: Redaction.shown(request.url))
  }

  /// Returns the bytes from the range's beginning to the end of its block.
  func piece(
    of range: Range<Int64>,
    like first: Version?
  ) async throws(FreshetError) -> (Data, Version) {
    try check(range)
    let end = (range.lowerBound / size + 1).multipliedReportingOverflow(by: size)
    let upper = end.overflow ? range.upperBound : min(range.upperBound, end.partialValue)
    let data = try await read(range.lowerBound..<max(upper, range.lowerBound))
    // The actor has not been suspended since the last byte was read.
    guard let version else { throw .noValue }
    guard first == nil || first == version else {
      throw .corrupted(
        expected: first?.content.validator?.value ?? "",
        actual: version.content.validator?.value ?? "",
        url: Redaction.shown(request.url)
      )
    }
    return (data, version)
  }

  private func check(_ range: Range<Int64>) throws(FreshetError) {
    if Task.isCancelled { throw .cancelled }
    guard range.lowerBound < 0 else { return }
    throw .invalidRequest(
      "a range of bytes cannot begin before 0",
      url: Redaction.shown(request.url)
    )
  }

  /// - Returns: The bytes; `nil` if the version has changed in the meantime.
  private func tryToRead(_ wanted: Range<Int64>) async throws(FreshetError) -> Data? {
    if version == nil { try await wait(for: wanted.lowerBound / size) }
    guard let version else { return nil }
    let range = wanted.clamped(to: 0..<version.length)
    if range.isEmpty { return Data() }
    if let whole { return try whole.body.part(range).data(limit: .max) }
    var data = Data()
    // The length may be no more than what a server says.
    data.reserveCapacity(Int(min(range.length, 64 << 20)))
    let blocks = range.lowerBound / size...(range.upperBound - 1) / size
    for block in blocks {
      let last = min(block + Int64(Self.concurrency) - 1, blocks.upperBound)
      for next in block...last { begin(next, isAhead: false) }
      var found = use(block)
      while found == nil {
        do throws(FreshetError) {
          found = try await wait(for: block)
        } catch {
          abandon(block...last)
          throw error
        }
        if self.whole != nil || self.version != version { return nil }
      }
      guard let bytes = found else { return nil }
      let start = block * size
      let part = range.clamped(to: start..<start + Int64(bytes.count))
      let first = bytes.startIndex + Int(part.lowerBound - start)
      data.append(bytes[first..<first + part.count])
    }
    noteReading(range, version)
    return data
  }

  private func use(_ block: Int64) -> Data? {
    guard let bytes = held[block]?.data else { return nil }
    uses += 1
    held[block]?.use = uses
    return bytes
  }

  /// Fetches the next blocks in advance, if this read has continued one of the last ones.
  private func noteReading(_ range: Range<Int64>, _ version: Version) {
    let end = range.upperBound
    var streak = 0
    if let former = readings.lastIndex(where: { $0.end == range.lowerBound }) {
      streak = min(readings.remove(at: former).streak + 1, 8)
    }
    // Nothing continues a read up to the end.
    guard end < version.length else { return }
    readings.append((end, streak))
    if readings.count > Self.readers { readings.removeFirst() }
    guard streak > 0 else { return }
    // With more of them, those that arrive would evict the next ones to be read.
    let share = limit / 4 / readings.count { $0.streak > 0 }
    let first = (end - 1) / size + 1
    let last = min(
      first + Int64(min(1 << streak, readAhead, share)) - 1,
      (version.length - 1) / size
    )
    guard first <= last else { return }
    for block in first...last { begin(block, isAhead: true) }
  }
}

// MARK: - Fetching

extension RemoteBlocks {
  /// Waits until a block has come, or what says that there is none; begins to fetch it unless it is on its way.
  ///
  /// - Returns: The block; `nil` to look again.
  @discardableResult
  private func wait(for wanted: Int64) async throws(FreshetError) -> Data? {
    // Nothing is known about the resource yet: one request is enough.
    let block = version == nil ? fetches.keys.first ?? (isPastEnd ? 0 : wanted) : wanted
    begin(block, isAhead: false)
    if fetches[block] == nil, let data = use(block) { return data }
    // Where as many are on their way as may be, one of them has to come first.
    guard let awaited = fetches[block] == nil ? fetches.keys.first : block,
      let outcome = fetches[awaited]?.outcome
    else { return nil }
    fetches[awaited]?.waiting += 1
    do throws(FreshetError) {
      let data = try await outcome.value()
      return awaited == wanted ? data : nil
    } catch {
      if Task.isCancelled { leave(awaited, outcome) }
      // The failure of another block is for those who want it.
      guard awaited == block || Task.isCancelled else { return nil }
      throw error
    }
  }

  /// Ends the wait of a reading that was cancelled; a fetch that no other waits for is cancelled.
  private func leave(_ block: Int64, _ outcome: Promise<Data?>) {
    guard fetches[block]?.outcome === outcome else { return }
    fetches[block]?.waiting -= 1
    abandon(block...block)
  }

  /// Cancels the fetches of blocks that nobody waits for; another reading that is about to need one of them
  /// begins it again.
  private func abandon(_ blocks: ClosedRange<Int64>) {
    for block in blocks {
      guard let fetching = fetches[block], fetching.waiting == 0, !fetching.isAhead else {
        continue
      }
      fetching.task.cancel()
      fetches[block] = nil
    }
  }

  private func begin(_ block: Int64, isAhead: Bool) {
    guard held[block] == nil, fetches[block] == nil, whole == nil,
      fetches.count < maximumFetches
    else { return }
    let (client, policy, request) = (client, policy, blockRequest(block))
    let whole = self.request
    let start = block * size
    let end = end(ofBlockAt: start)
    let outcome = Promise<Data?>()
    let task = Task { [weak self] in
      let arrival = await Result.awaiting { () async throws(FreshetError) in
        try await Self.fetchAll(request, whole, in: start..<end, client, policy)
      }
      await self?.arrive(block, arrival, outcome)
    }
    fetches[block] = Fetching(task: task, outcome: outcome, isAhead: isAhead)
  }

  private func end(ofBlockAt start: Int64) -> Int64 {
    min(start.saturatingSum(size), version?.length ?? .max)
  }

  private func blockRequest(_ block: Int64) -> Request {
    var request = request
    let start = block * size
    let end = end(ofBlockAt: start)
    request.headers[.range] = ByteRange.bounded(start...max(start, end - 1)).description
    return request
  }

  /// Fetches a block, the rest of it too where a server sends less than it was asked for.
  private static func fetchAll(
    _ request: Request,
    _ whole: Request,
    in range: Range<Int64>,
    _ client: Client,
    _ policy: ResourcePolicy?
  ) async throws(FreshetError) -> Arrival {
    let first = try await fetch(request, whole, at: range.lowerBound, client, policy)
    guard case .block(var data, let content) = first else { return first }
    let end = min(range.upperBound, content.length)
    for _ in 0..<pieces {
      let position = range.lowerBound + Int64(data.count)
      guard position < end else { break }
      var request = request
      request.headers[.range] = ByteRange.bounded(position...end - 1).description
      let next = try await fetch(request, whole, at: position, client, policy)
      guard case .block(let more, content) = next, !more.isEmpty else {
        // Another version, or none: what there is now is asked for.
        return .missing
      }
      data += more
    }
    guard Int64(data.count) >= end - range.lowerBound else {
      let url = Redaction.shown(whole.url)
      throw .invalidResponse("the server sends fewer bytes than requested", url: url)
    }
    return .block(data.prefix(Int(end - range.lowerBound)), content)
  }

  private static func fetch(
    _ request: Request,
    _ whole: Request,
    at start: Int64,
    _ client: Client,
    _ policy: ResourcePolicy?
  ) async throws(FreshetError) -> Arrival {
    let resource: Resource
    do throws(FreshetError) {
      resource = try await client.resource(request, policy: policy).value
    } catch .status(let head, _) where head.status == .rangeNotSatisfiable {
      return start == 0 ? .whole(try await client.resource(whole, policy: policy).value) : .missing
    }
    let head = resource.response.head
    guard head.status == .partialContent else {
      // The transport does not decode the response to a range.
      return head.headers.contains(.contentEncoding)
        ? .whole(try await client.resource(whole, policy: policy).value) : .whole(resource)
    }
    guard let part = head.headers[.contentRange].flatMap(ContentRange.init), let range = part.range,
      let length = part.total, range.lowerBound == start,
      let validator = StrongValidator(head, receivedAt: resource.response.responseTime),
      resource.body.length == range.length, !head.headers.contains(.contentEncoding)
    else {
      // The versions of two blocks could not be compared.
      return .whole(try await client.resource(whole, policy: policy).value)
    }
    return .block(try resource.data(), Content(validator: validator, length: length))
  }

  private func arrive(
    _ block: Int64,
    _ result: Result<Arrival, FreshetError>,
    _ outcome: Promise<Data?>
  ) {
    // A cancelled or outdated fetch may end after the next one of its block has begun.
    guard fetches[block]?.outcome === outcome else { return }
    fetches[block] = nil
    outcome.settle(result.map { take($0, block) })
  }

  /// - Returns: The block, if it is of the version that counts now.
  private func take(_ arrival: Arrival, _ block: Int64) -> Data? {
    switch arrival {
    case .whole(let resource):
      let response = resource.response
      let isCoded = response.head.headers.contains(.contentEncoding)
      let validator =
        isCoded ? nil : StrongValidator(response.head, receivedAt: response.responseTime)
      let content = Content(validator: validator, length: resource.body.length)
      if validator != nil, version?.content == content {
        // A server may ignore a range at any time (RFC 9110 section 14.2).
        held = [:]
        outdateFetches()
      } else {
        change(to: content)
      }
      whole = resource
    case .missing:
      forget()
      isPastEnd = true
    case .block(let data, let content):
      if version?.content != content { change(to: content) }
      // One of a version that was shorter is no block of this one.
      guard Int64(data.count) == min(size, content.length - block * size) else { return nil }
      hold(data, block)
      return data
    }
    return nil
  }

  private func hold(_ data: Data, _ block: Int64) {
    uses += 1
    held[block] = (data, uses)
    if held.count > limit - maximumFetches,
      let oldest = held.min(by: { $0.value.use < $1.value.use })?.key
    {
      held[oldest] = nil
    }
  }

  private func change(to content: Content) {
    epoch += 1
    isPastEnd = false
    held = [:]
    version = Version(content: content, number: epoch)
    outdateFetches()
  }

  /// Drops the version, a part of which no longer exists.
  private func forget() {
    epoch += 1
    held = [:]
    version = nil
    outdateFetches()
  }

  /// Cancels the fetches of an earlier version; their waiters try again.
  private func outdateFetches() {
    let outdated = fetches
    fetches = [:]
    for fetching in outdated.values {
      fetching.task.cancel()
      fetching.outcome.settle(.success(nil))
    }
  }
}
