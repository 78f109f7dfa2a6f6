import Foundation

/// Writes one run down; used by its reader alone.
final class JournalWriter {
  private let journal: BatchJournal
  private let file: OpenFile
  private let encoder = JSONEncoder()

  /// Begins anew with these items, in place of what was there.
  init(_ journal: BatchJournal, _ items: [BatchItem]) throws(FreshetError) {
    self.journal = journal
    let path = journal.file.path
    let temporary = "\(path).\(Hexadecimal.unpredictableName())"
    do throws(FileFailure) {
      file = try OpenFile(temporary, O_WRONLY | O_CREAT | O_EXCL)
      do throws(FileFailure) {
        var data = JournalLine.header + [UInt8(ascii: "\n")]
        for item in items { data += line(of: item) }
        try file.write(data)
        _ = try FileFailure.check("rename", path) { rename(temporary, path) }
      } catch {
        unlink(temporary)
        throw error
      }
    } catch {
      throw error.error(at: path)
    }
  }

  func add(_ item: BatchItem) {
    // What is not written down is looked at again, which does no harm.
    try? file.write(line(of: item))
  }

  func markDone(_ index: Int) {
    try? file.write(Data("{\"done\":\(index)}\n".utf8))
  }

  /// Ends the run: nothing is left to continue, unless something has failed.
  func finish(hasFailures: Bool) {
    if !hasFailures { try? journal.discard() }
  }

  /// A request with a body cannot be written, and will not be continued.
  private func line(of item: BatchItem) -> Data {
    let need = item.size.map(BatchPlan.Need.body) ?? .unknown
    let entry = BatchPlan.Item(
      index: item.index,
      request: item.request,
      need: need,
      problem: nil
    )
    guard let data = try? encoder.encode(JournalLine(item: entry)) else { return Data() }
    return data + [UInt8(ascii: "\n")]
  }
}

extension BatchJournal {
  func begin(_ items: [BatchItem]) throws(FreshetError) -> JournalWriter {
    try JournalWriter(self, items)
  }
}
