#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting

/// Where experiments are made: a folder of their own and the servers that they start.
final class Bench: Sendable {
  let options: Options
  let directory: TemporaryDirectory
  /// Where this process puts what it needs for a while.
  let temporary: URL

  init(_ options: Options) throws {
    self.options = options
    directory = try TemporaryDirectory()
    temporary = directory.url.appending(path: "tmp", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    // Before anything asks for it.
    setenv("TMPDIR", temporary.path, 1)
  }

  func folder(_ name: String) -> URL {
    directory.url.appending(path: name, directoryHint: .isDirectory)
  }

  func clear() {
    try? FileManager.default.removeItem(at: directory.url)
  }
}

/// A client with stores of its own, and the folders that must be empty when it is gone.
struct Subject: Sendable {
  let client: Client
  /// The client without a store.
  let homeless: Client
  let disk: DiskStore
  let coalescer = Coalescer()
  let activity = ClientActivity()

  /// How many bytes its stores keep, and how many responses the memory.
  struct Limits {
    let memory: Int
    let count: Int
    let disk: Int64
  }

  /// A body that is larger than `threshold` goes to a file.
  init(
    _ transport: any Transport,
    in folder: URL,
    threshold: Int = 1 << 20,
    limits: Limits? = nil,
    baseURL: URL? = nil,
    now: @escaping @Sendable () -> Date = { Date() },
    onDiagnostic: @escaping @Sendable (DiskStore.Diagnostic) -> Void = { _ in }
  ) {
    var kept = DiskStore.Configuration()
    kept.byteLimit = limits?.disk
    let disk = DiskStore(directory: folder, configuration: kept, onDiagnostic: onDiagnostic)
    let (coalescer, activity) = (coalescer, activity)
    self.disk = disk
    client = Client {
      $0.transport = transport
      $0.baseURL = baseURL
      if let limits {
        $0.memory = MemoryStore(
          configuration: .init(costLimit: limits.memory, countLimit: limits.count)
        )
      }
      $0.disk = disk
      $0.coalescer = coalescer
      $0.activity = activity
      $0.memoryThreshold = threshold
      $0.now = now
    }
    homeless = Client {
      $0.transport = transport
      $0.baseURL = baseURL
      $0.memory = nil
      $0.disk = nil
      $0.coalescer = coalescer
      $0.activity = activity
      $0.memoryThreshold = threshold
      $0.now = now
    }
  }

  func client(for operation: Operation) -> Client {
    operation == .temporary ? homeless : client
  }

  /// Where bodies are while they arrive.
  static func spools(of folder: URL) -> [URL] {
    ["spool", "partial"].map { folder.appending(path: $0, directoryHint: .isDirectory) }
  }

  /// What is still on its way although nobody waits.
  var leftovers: [String] {
    var problems: [String] = []
    if coalescer.count > 0 { problems.append("\(coalescer.count) shared fetches are left") }
    if !activity.isIdle { problems.append("\(activity.count) calls are left") }
    return problems
  }
}
#endif
