public import FreshetEssentials

/// A file that records the progress of a run, so that another process can continue it.
///
/// - The run's items are written before the first one starts; those of a sequence as they start.
/// - An item is done once the reader has taken its last value and asked for the next event.
/// - Written records survive the end of the process at any moment.
/// - If a record cannot be written after the start, such as on a full disk, it is written as soon as
///   possible, at the latest when the run ends. If the process ends before, an item may be processed
///   twice, and an item of a sequence that has started may be missing from the remaining ones.
/// - A run in which all items have a value removes the file; one with failures leaves those.
/// - A run continues the journal if the journal has none of the run's items as done; what is done stays
///   recorded. A run that repeats an item that is done starts a new journal. Items are the same if
///   they have the same method, URL, header fields and file.
/// - A run fails with ``FreshetError/file(_:path:)`` before anything is sent if the file is something else
///   than a journal of this version, cannot be read, or belongs to another user who is not root; an empty
///   file is replaced.
/// - It is for one run at a time, and its file for one journal: it belongs to the run that began
///   last. An earlier run that still runs is no longer recorded, and does not damage the file.
/// - The values of credentials and cookies are not written, nor a user and a password in a URL; give them to
///   the client. Its query is, and so are its priority, tags, timeouts and limits.
/// - A request with a body cannot be recorded: a run of one fails with
///   ``FreshetError/invalidRequest(_:url:)`` before anything is sent. One of a sequence is fetched and not
///   recorded.
///
/// ```swift
/// let journal = BatchJournal(at: file)
/// let batch = try journal.remaining().map { client.batch($0) } ?? client.batch(urls)
/// let result = try await batch.run(journal: journal).value
/// ```
public struct BatchJournal: Sendable, Hashable {
  /// The URL of the file; made with mode 0600.
  public let file: URL
  /// A Boolean value that indicates whether a run of some remaining items leaves the others in the
  /// journal, instead of starting a new one.
  package var keepsOthers = false
  /// A Boolean value that indicates whether an item is done only after
  /// ``BatchSequence/Iterator/confirm(_:)``.
  package var awaitsConfirmation = false

  /// Makes a journal; nothing is written yet.
  public init(at file: URL) {
    self.file = file
  }

  /// Writes the items of a batch, as its run does when it begins.
  ///
  /// Use it before long preparations, such as making the plan, so that an end of the process loses
  /// nothing. The items of a batch of an `AsyncSequence` are not known yet, and nothing is written.
  ///
  /// - Parameter batch: The batch that will be run.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written, or if the file is something else;
  ///   ``FreshetError/invalidRequest(_:url:)`` for a request with a body.
  public func record(_ batch: Batch) throws(FreshetError) {
    guard case .items(let items) = batch.source else { return }
    _ = try JournalWriter(self, items, without: batch.client.configuration.allSecretHeaders)
  }

  /// Returns the remaining items of the last recorded run.
  ///
  /// An incomplete last line is ignored.
  ///
  /// - Returns: The items that are not done, or `nil` if there is no journal or an empty file.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be read, or is something else.
  public func remaining() throws(FreshetError) -> BatchPlan? {
    try content()?.remaining
  }

  /// Returns the requests that were completed by that run and by those that it continued.
  ///
  /// - Returns: The requests, in no order; none if there is no journal.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be read, or is something else.
  public func completed() throws(FreshetError) -> [Request] {
    try content()?.completed.map(\.request) ?? []
  }

  /// Removes the file, if it exists.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be removed.
  public func discard() throws(FreshetError) {
    try OpenFile.remove(file.path)
  }

  struct Content {
    var items: [Int: BatchPlan.Item] = [:]
    var completed: [BatchEntry] = []

    var remaining: BatchPlan { BatchPlan(Array(items.values)) }
  }

  func content() throws(FreshetError) -> Content? {
    guard let data = try OpenFile.journal(file.path), !data.isEmpty else { return nil }
    guard let content = Self.content(of: data) else {
      throw .file("it is not a journal of this version", path: file.path)
    }
    return content
  }

  /// Returns the content of a journal of this version; `nil` if it is none.
  ///
  /// Malformed lines are skipped.
  static func content(of data: Data) -> Content? {
    var lines = data.split(separator: UInt8(ascii: "\n"))[...]
    guard let header = lines.popFirst(), header == JournalLine.header else { return nil }
    let decoder = JSONDecoder()
    var content = Content()
    for line in lines {
      guard let line = try? decoder.decode(JournalLine.self, from: line) else { continue }
      if let item = line.item { content.items[item.index] = item }
      if let entry = line.completedEntry { content.completed.append(entry) }
      if let done = line.done, let item = content.items.removeValue(forKey: done) {
        content.completed.append(item.entry)
      }
    }
    return content
  }
}

/// One line of a journal.
struct JournalLine: Codable {
  var item: BatchPlan.Item?
  /// The position of an item that is done.
  var done: Int?
  /// A request that was completed by an earlier run that this one continues.
  var completed: RequestRecord?
  /// The file or the directory that it was downloaded to.
  var file: URL?
  var directory: URL?

  static let header = Data("freshet batch 1".utf8)
}

extension JournalLine {
  init(completed entry: BatchEntry) {
    completed = RequestRecord(entry.request)
    (file, directory) = (entry.file, entry.directory)
  }

  fileprivate var completedEntry: BatchEntry? {
    guard let completed else { return nil }
    var entry = BatchEntry(completed.request)
    entry.target = DownloadTarget(file: file, directory: directory)
    return entry
  }
}
