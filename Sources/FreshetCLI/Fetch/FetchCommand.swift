import Foundation
import Freshet

/// `freshet fetch`: fetches the URLs as one batch, and reports each event.
struct FetchCommand {
  let options: FetchOptions

  init(_ options: FetchOptions) {
    self.options = options
  }

  func run() async -> ExitStatus {
    let disk = self.disk
    let client = Client {
      $0.policy = options.policy
      $0.headers = options.headers
      $0.partition = options.partition
      $0.seeds = options.seeds.map { directory in
        SeedStore(directory: directory) { Console.error("freshet: \($0)") }
      }
      $0.disk = disk
    }
    let journal = disk == nil ? nil : self.journal
    let run = FetchRun(options, client: client, reporter: reporter, journal: journal)
    let status: ExitStatus
    if options.list == .standardInput, !options.plans, !options.continues {
      status = await run.stream(InputLines())
    } else {
      do {
        status = await run.fetch(options.urls + (try options.list.map(URLList.read) ?? []))
      } catch {
        Console.error("freshet: the list cannot be read: \(error.localizedDescription)")
        return .usage
      }
    }
    await disk?.close()
    return status
  }

  private var disk: DiskStore? {
    guard let store = options.store else { return nil }
    // Without a network there is nothing to keep.
    return options.policy.network == .forbidden
      ? Paths.storeToRead(store) : DiskStore(directory: store)
  }

  private var reporter: any FetchReporter {
    switch options.format {
    case .json: JSONReporter()
    case .text: TextReporter(isBatch: options.isBatch)
    }
  }

  /// Where it is written down what is done: in the store's directory.
  private var journal: BatchJournal? {
    guard options.isBatch, let store = options.store else { return nil }
    let files = FileManager.default
    try? files.createDirectory(
      at: store,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    // A store that cannot be written costs persistence, never the answer.
    guard Paths.isDirectory(store), files.isWritableFile(atPath: store.path) else { return nil }
    return BatchJournal(at: store.appending(path: "batch.journal"))
  }
}

/// Where a fetch's events go; each event fails if there is no place for it.
protocol FetchReporter: Sendable {
  func plan(_ totals: BatchPlan.Totals) throws(FreshetError)
  func started(_ url: String, _ index: Int)
  func progress(_ progress: TransferProgress, _ url: String, _ index: Int) throws(FreshetError)
  func value(_ resource: Resource, _ url: String, _ index: Int) throws(FreshetError)
  func error(_ error: FreshetError, _ url: String, _ index: Int) throws(FreshetError)
  func batch(_ progress: BatchProgress, isLast: Bool) throws(FreshetError)
}
