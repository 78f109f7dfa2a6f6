import FreshetEssentials

/// Writes the journal of one run; used by its reader only.
final class JournalWriter {
  private let journal: BatchJournal
  private let file: OpenFile
  private let encoder = JSONEncoder()
  /// The client's secret fields, which are not written.
  private let secrets: Set<HTTPHeaders.Name>
  /// A Boolean value that indicates whether the journal has items that this run does not fetch.
  private let hasOthers: Bool
  /// The lines of items that could not be written so far, by their positions.
  private var unwritten: [Int: Data] = [:]
  /// The positions of items that are done, whose lines could not be written so far.
  private var unmarked: Set<Int> = []
  /// The number of bytes that were written completely.
  private var length: Int64 = 0
  /// A Boolean value that indicates whether an incomplete line may follow them.
  private var isTorn = false

  /// Starts a journal with these items, and replaces the existing one.
  init(
    _ journal: BatchJournal,
    _ items: [BatchItem],
    without secrets: Set<HTTPHeaders.Name>
  ) throws(FreshetError) {
    if let item = items.first(where: { $0.request.body != nil }) {
      throw .invalidRequest(
        "a journal cannot record its body; run it without a journal, or in a batch of its own",
        url: Redaction.shown(item.request.url)
      )
    }
    self.journal = journal
    self.secrets = secrets
    // A file that is something else must not be replaced.
    let content = try journal.content() ?? BatchJournal.Content()
    let completed = Self.completed(
      content,
      before: items,
      keepsOthers: journal.keepsOthers,
      without: secrets
    )
    let others =
      journal.keepsOthers ? Self.left(in: content, besides: items, without: secrets) : []
    hasOthers = !others.isEmpty
    do throws(FileFailure) {
      let replacement = try ReplacementFile(for: journal.file.path)
      file = replacement.file
      var data = JournalLine.header + [UInt8(ascii: "\n")]
      for entry in completed { data += Self.line(JournalLine(completed: entry), encoder) }
      for item in items + others { data += line(of: item) }
      try file.write(data)
      length = Int64(data.count)
      try replacement.commit()
    } catch {
      throw error.error(at: journal.file.path)
    }
  }

  deinit {
    catchUp()
  }

  /// Writes an item; if there is no room for it, it is written as soon as there is.
  func add(_ item: BatchItem) {
    let line = line(of: item)
    if !catchUp() || !write(line) { unwritten[item.index] = line }
  }

  /// Writes that an item is done; if there is no room for it, it is written as soon as there is.
  func markDone(_ index: Int) {
    // An item that was never written need not be marked.
    if unwritten.isEmpty || unwritten.removeValue(forKey: index) == nil {
      if !write(Self.mark(index)) { unmarked.insert(index) }
    }
    catchUp()
  }

  /// Writes the lines that could not be written before; returns `false` if they still cannot.
  @discardableResult
  private func catchUp() -> Bool {
    while let (index, line) = unwritten.first {
      guard write(line) else { return false }
      unwritten[index] = nil
    }
    while let index = unmarked.first {
      guard write(Self.mark(index)) else { return false }
      unmarked.remove(index)
    }
    return true
  }

  /// Writes whole lines or nothing, because an incomplete one would damage the next.
  private func write(_ lines: Data) -> Bool {
    do throws(FileFailure) {
      if isTorn { try file.truncate(to: length) }
      isTorn = true
      try file.write(lines)
    } catch {
      return false
    }
    isTorn = false
    length += Int64(lines.count)
    return true
  }

  /// Ends the run, and removes the journal unless items have failed or remain.
  func finish(hasFailures: Bool) {
    // Another run may have replaced the file by its own.
    guard !hasFailures, !hasOthers, file.isStill(at: journal.file.path) else { return }
    try? journal.discard()
  }

  /// Returns the line of an item; it is empty for a request with a body, which will not be continued.
  private func line(of item: BatchItem) -> Data {
    let need = item.size.map(BatchPlan.Need.body) ?? .unknown
    let entry = BatchPlan.Item(
      index: item.index,
      entry: item.entry.protecting(secrets),
      need: need,
      problem: nil
    )
    return Self.line(JournalLine(item: entry), encoder)
  }

  private static func mark(_ index: Int) -> Data { Data("{\"done\":\(index)}\n".utf8) }

  private static func line(_ line: JournalLine, _ encoder: JSONEncoder) -> Data {
    guard let data = try? encoder.encode(line) else { return Data() }
    return data + [UInt8(ascii: "\n")]
  }

  /// Returns the entries that earlier runs have completed, if this one continues them.
  private static func completed(
    _ content: BatchJournal.Content,
    before items: [BatchItem],
    keepsOthers: Bool,
    without secrets: Set<HTTPHeaders.Name>
  ) -> [BatchEntry] {
    if items.isEmpty { return keepsOthers ? content.completed : [] }
    let done = Set(content.completed.map { JournalKey($0, without: secrets) })
    let repeats = items.contains { done.contains(JournalKey($0.entry, without: secrets)) }
    return repeats ? [] : content.completed
  }

  /// Returns the items that earlier runs have left and this one does not fetch, at positions after its own.
  private static func left(
    in content: BatchJournal.Content,
    besides items: [BatchItem],
    without secrets: Set<HTTPHeaders.Name>
  ) -> [BatchItem] {
    let own = Set(items.map { JournalKey($0.entry, without: secrets) })
    let left = content.remaining.items
      .filter { !own.contains(JournalKey($0.entry, without: secrets)) }
    let start = (items.map(\.index).max() ?? -1) + 1
    return left.enumerated()
      .map { place, item in
        BatchItem(index: start + place, entry: item.entry, size: item.need.bytes)
      }
  }
}

/// The key by which a journal finds an item again.
private struct JournalKey: Hashable {
  private let method: HTTPMethod
  private let url: URL
  /// The header fields that journals store.
  private let headers: HTTPHeaders
  private let target: DownloadTarget?

  init(_ entry: BatchEntry, without secrets: Set<HTTPHeaders.Name>) {
    let request = entry.request
    method = request.method
    url = request.url.hidingUser
    headers = HTTPHeaders(
      request.headers.filter {
        !secrets.contains($0.name) && !request.redirects.isSecret($0.name)
      }
    )
    // A relative URL is not equal to the one that is read from the journal.
    target = entry.target?.absolute
  }
}

extension BatchEntry {
  /// Returns the entry of a client with secret fields of its own.
  func protecting(_ secrets: Set<HTTPHeaders.Name>) -> BatchEntry {
    if secrets.isEmpty { return self }
    var entry = self
    entry.request.redirects.secretHeaders.formUnion(secrets)
    return entry
  }
}
