import Foundation

/// What a process that may be killed has tried and been told: lines that are written at once.
final class CrashLog: Sendable {
  private let url: URL
  private let descriptor: Int32

  init(_ url: URL) throws {
    self.url = url
    descriptor = open(url.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  deinit {
    close(descriptor)
  }

  func tell(_ line: String) throws {
    let line = line + "\n"
    let count = line.withCString { write(descriptor, $0, strlen($0)) }
    guard count == line.utf8.count else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Begins again with the present state, which is as good as acknowledged.
  func begin(_ items: [Int: StoreItem], of numbers: [Int]) throws {
    let lines =
      numbers
      .map { "done \($0) \(items[$0].map(\.description) ?? "gone")\n" }
    let new = url.appendingPathExtension("new")
    try Data(lines.joined().utf8).write(to: new)
    guard rename(new.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    let file = open(url.path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard file >= 0, dup2(file, descriptor) >= 0 else { throw CocoaError(.fileWriteUnknown) }
    close(file)
  }

  /// What the log says.
  struct Record {
    /// The states in which each item may be: the one that was acknowledged last, and the one that was
    /// tried after it.
    var states: [Int: Set<String>] = [:]
    /// The items that were acknowledged, the last one first, each once.
    var newest: [(number: Int, item: StoreItem)] = []
  }

  func read() throws -> Record {
    var states: [Int: Set<String>] = [:]
    var last: [Int: (line: Int, item: StoreItem)] = [:]
    var count = 0
    for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let number = Int(words[1]) else { continue }
      let state = String(words[2])
      count += 1
      if words[0] == "done" {
        states[number] = [state]
        last[number] = StoreItem(number: number, state).map { (count, $0) }
      } else {
        states[number, default: ["gone"]].insert(state)
      }
    }
    let newest = last.sorted { $0.value.line > $1.value.line }.map { ($0.key, $0.value.item) }
    return Record(states: states, newest: newest)
  }
}
