#if Redis && !canImport(Darwin)
import Freshet
import FreshetEssentials
import Synchronization

/// The order of the removals as this process observes it, and their observers.
///
/// Each message names the number of the one before it, so that a lost one is noticed; the server's log
/// then has those that are missing. A look at the newest number once a second notices a lost last one.
final class RemovalHearing: Sendable {
  private struct State: Sendable {
    var order = SharedOrder()
    var listeners: [Int: AsyncStream<StoreRemoval>.Continuation] = [:]
    var nextID = 0
    var generation = ""
    /// The number of the last removal that was delivered to the observers.
    var heard: Int64?
    var isChecking = false
    /// The connections; `nil` after the end.
    var pool: RedisPool?
    var watch: Task<Void, Never>?
  }

  /// The name of this process in messages.
  let sender: String
  private let channel: String
  private let state = Mutex(State())

  init(sender: String, channel: String) {
    self.sender = sender
    self.channel = channel
  }

  func attach(_ pool: RedisPool) {
    state.withLock { $0.pool = pool }
  }

  func finish() {
    let (listeners, watch) = state.withLock { state in
      defer {
        state.listeners = [:]
        state.watch = nil
        state.pool = nil
      }
      return (Array(state.listeners.values), state.watch)
    }
    watch?.cancel()
    for listener in listeners { listener.finish() }
  }
}

// MARK: - Listeners

extension RemovalHearing {
  func makeStream() -> AsyncStream<StoreRemoval> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: StoreRemoval.self,
      bufferingPolicy: .bufferingNewest(1_024)
    )
    let id = state.withLock { state -> Int? in
      guard let pool = state.pool else { return nil }
      state.nextID += 1
      state.listeners[state.nextID] = continuation
      if state.watch == nil { state.watch = makeWatch() }
      pool.subscribe(channel, isWanted: true)
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.leave(id) }
    return stream
  }

  /// Removes a listener, and ends the subscription with the last one.
  private func leave(_ id: Int) {
    state.withLock { state in
      state.listeners[id] = nil
      guard state.listeners.isEmpty else { return }
      state.watch?.cancel()
      state.watch = nil
      // Within the lock: a listener that comes meanwhile is subscribed.
      state.pool?.subscribe(channel, isWanted: false)
    }
  }

  private func makeWatch() -> Task<Void, Never> {
    Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: .seconds(1))
        await self?.check()
      }
    }
  }

  private func tell(_ removal: StoreRemoval) {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners {
      // The oldest one was dropped: the reader is far behind.
      if case .dropped = listener.yield(removal) { listener.yield(.missed) }
    }
  }
}

// MARK: - Numbers

extension RemovalHearing {
  /// Records what the server has reported.
  func greeted(_ generation: String, _ number: Int64) {
    let isNew = state.withLock { state in
      state.order.note(number, of: generation)
      guard state.generation != generation else { return false }
      let isFirst = state.generation.isEmpty
      state.generation = generation
      state.heard = number
      return !isFirst
    }
    // The server has lost its record of the removals.
    if isNew { tell(.missed) }
  }

  /// Records the number of the last removal before a reply.
  func note(_ number: Int64, of generation: String) {
    state.withLock { $0.order.note(number, of: generation) }
  }

  func asked(_ response: StoredResponse, in generation: String) -> SharedOrder.Position {
    state.withLock { $0.order.asked(response, in: generation) }
  }

  func known(_ response: StoredResponse, in generation: String) -> SharedOrder.Position {
    state.withLock { $0.order.known(response, in: generation) }
  }
}

// MARK: - Messages

extension RemovalHearing {
  /// Takes a message, on the thread of the pool.
  func hear(_ text: String) {
    guard let message = RemovalMessage(text) else { return recheck() }
    let isNext = state.withLock { state -> Bool? in
      guard let heard = state.heard else { return true }
      guard message.last <= heard else { return false }
      // Another look at the log may have been faster.
      guard message.number > heard else { return nil }
      state.heard = message.number
      state.order.note(message.number, of: state.generation)
      return true
    }
    guard let isNext else { return }
    if isNext { apply(message) } else { recheck() }
  }

  private func apply(_ message: RemovalMessage) {
    if message.sender == sender, case .invalidated = message.removal { return }
    tell(message.removal)
  }

  /// Asks the server for messages that may have been missed.
  func recheck() {
    Task { [weak self] in await self?.check() }
  }

  private func check() async {
    let last = state.withLock { state -> (pool: RedisPool, heard: Int64)? in
      // Without a number, nothing was asked of the server yet.
      guard !state.isChecking, let pool = state.pool, let heard = state.heard else { return nil }
      state.isChecking = true
      return (pool, heard)
    }
    guard let (pool, heard) = last else { return }
    defer { state.withLock { $0.isChecking = false } }
    let reply = try? await pool.run(
      .changes,
      [pool.names.control, pool.names.log],
      [.number(heard)],
      timeout: .seconds(1),
      isPatient: true
    )
    guard let found = reply?.elements else { return }
    guard found.count == 3, let generation = found[0].text, let number = found[1].number,
      let messages = found[2].elements
    else { return lost() }
    greeted(generation, number)
    catchUp(messages.compactMap { $0.text.flatMap(RemovalMessage.init) }, to: number)
  }

  /// The control record is not there: everything that was stored counts as removed.
  private func lost() {
    let isNew = state.withLock { state in
      defer { state.generation = "none" }
      return state.generation != "none"
    }
    if isNew { tell(.missed) }
  }

  private func catchUp(_ messages: [RemovalMessage], to number: Int64) {
    var missed = false
    let new: [RemovalMessage] = state.withLock { state in
      guard let heard = state.heard, heard < number else { return [] }
      let new = messages.filter { $0.number > heard }
      missed = new.first.map { $0.last > heard } ?? true
      state.heard = number
      state.order.note(number, of: state.generation)
      return new
    }
    if missed { tell(.missed) }
    for message in new { apply(message) }
  }
}

/// A message about a removal: its number, that of the one before, the sender, the kind, the time and the
/// text.
struct RemovalMessage: Sendable {
  let number: Int64
  let last: Int64
  let sender: String
  let removal: StoreRemoval

  init?(_ text: String) {
    // By bytes: a combining mark at the start of the text is one character with the space.
    let space = UInt8(ascii: " ")
    let words = text.utf8.split(separator: space, maxSplits: 5, omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard words.count == 6, let number = Int64(words[0]), let last = Int64(words[1]),
      let time = Double(words[4]), let removal = StoreRemoval(words[3], String(words[5]), time)
    else { return nil }
    self.number = number
    self.last = last
    sender = String(words[2])
    self.removal = removal
  }
}

extension StoreRemoval {
  /// The kind and the text in a message.
  var words: (kind: String, text: String) {
    switch self {
    case .invalidated(let key, _): ("invalidated", key.text)
    case .key(let key): ("key", key.text)
    case .tag(let tag): ("tag", tag)
    case .prefix(let prefix, let partition):
      // The byte that ends a partition in keys is in no prefix of a URL.
      ("prefix", "\(prefix)\n\(partition)")
    case .everything: ("everything", "")
    case .missed: ("missed", "")
    }
  }

  fileprivate init?(_ kind: Substring, _ text: String, _ time: Double) {
    switch kind {
    case "invalidated":
      self = .invalidated(CacheKey(text: text), at: Date(timeIntervalSince1970: time))
    case "key": self = .key(CacheKey(text: text))
    case "tag": self = .tag(text)
    case "prefix":
      let end = text.utf8.firstIndex(of: UInt8(ascii: "\n"))
      guard let end else { return nil }
      self = .prefix(
        String(text[..<end]),
        partition: String(text[text.utf8.index(after: end)...])
      )
    case "everything": self = .everything
    case "missed": self = .missed
    default: return nil
    }
  }
}
#endif
