public import Foundation

/// Where a run writes down what is done, so that another process can continue it.
///
/// - The run's items are written before the first one starts; those of a sequence as they start.
/// - An item is done once its last value has been taken by the reader and the reader has come back
///   for more.
/// - What is written survives the end of the process at any moment.
/// - What cannot be written later than at the start, such as on a full disk, is written as soon as it
///   can be, at the latest when the run ends. Until then, an end of the process costs that something
///   is looked at twice, and of a sequence that an item which has begun is not among what remains.
/// - A run in which all items have a value removes the file; one with failures leaves those.
/// - A run of items none of which is done continues the last one: what that had done stays done. Any
///   other run begins anew.
/// - It is for one run at a time, as is a file for one journal: it belongs to the run that began last.
///   One that began before runs on and is written down no more, and neither of them spoils the file.
/// - The values of credentials and cookies are not written; give them to the client.
///
/// ```swift
/// let journal = BatchJournal(at: file)
/// let batch = try journal.remaining().map { client.batch($0) } ?? client.batch(urls)
/// let result = try await batch.run(journal: journal).value
/// ```
public struct BatchJournal: Sendable, Hashable {
  /// Where it is; made with mode 0600.
  public let file: URL
  /// Whether a run of some of what is left leaves the others in the journal, instead of beginning anew.
  package var keepsOthers = false
  /// Whether an item is done only when ``BatchSequence/Iterator/confirm(_:)`` says so.
  package var awaitsConfirmation = false

  /// Makes a journal; nothing is written yet.
  public init(at file: URL) {
    self.file = file
  }

  /// Writes down what a batch is going to fetch, as its run does when it begins.
  ///
  /// For what takes long before the run, such as its plan: from here on an end of the process loses
  /// nothing. Of a batch of an `AsyncSequence` nothing is known yet, and nothing is written.
  ///
  /// - Parameter batch: What is going to be run.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written.
  public func record(_ batch: Batch) throws(FreshetError) {
    if case .items(let items) = batch.source { _ = try begin(items) }
  }

  /// What is left of the run that was written down last.
  ///
  /// A last line that was not written whole is ignored.
  ///
  /// - Returns: The items that are not done, or `nil` if there is no journal.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be read, or is something else.
  public func remaining() throws(FreshetError) -> BatchPlan? {
    try content()?.remaining
  }

  /// What is done, by that run and by those that it continued.
  ///
  /// - Returns: The requests, in no order; none if there is no journal.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be read, or is something else.
  public func completed() throws(FreshetError) -> [Request] {
    try content()?.completed.map(\.request) ?? []
  }

  /// Removes the file, if it is there.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if that is not possible.
  public func discard() throws(FreshetError) {
    guard unlink(file.path) != 0, errno != ENOENT, errno != ENOTDIR else { return }
    throw FileFailure("remove", errno, file.path).error(at: file.path)
  }

  struct Content {
    var items: [Int: BatchPlan.Item] = [:]
    var completed: [RequestRecord] = []

    var remaining: BatchPlan { BatchPlan(Array(items.values)) }
  }

  func content() throws(FreshetError) -> Content? {
    guard let data = try read() else { return nil }
    guard let content = Self.content(of: data) else {
      throw .file("it is not a journal of this version", path: file.path)
    }
    return content
  }

  /// What a journal of this version says; `nil` if it is none.
  ///
  /// Lines that cannot be read are left out.
  static func content(of data: Data) -> Content? {
    var lines = data.split(separator: UInt8(ascii: "\n"))[...]
    guard let header = lines.popFirst(), header == JournalLine.header else { return nil }
    let decoder = JSONDecoder()
    var content = Content()
    for line in lines {
      guard let line = try? decoder.decode(JournalLine.self, from: line) else { continue }
      if let item = line.item { content.items[item.index] = item }
      if let record = line.completed { content.completed.append(record) }
      if let done = line.done, let item = content.items.removeValue(forKey: done) {
        RequestRecord(item.request).map { content.completed.append($0) }
      }
    }
    return content
  }

  private func read() throws(FreshetError) -> Data? {
    do throws(FileFailure) {
      let file = try OpenFile(file.path, O_RDONLY)
      return try file.read(at: 0, count: Int(try file.status().st_size))
    } catch {
      if error.isMissing { return nil }
      throw error.error(at: file.path)
    }
  }
}

/// One line of a journal.
struct JournalLine: Codable {
  var item: BatchPlan.Item?
  /// The position of an item that is done.
  var done: Int?
  /// What a run that this one continues has done.
  var completed: RequestRecord?

  static let header = Data("freshet batch 1".utf8)
}
