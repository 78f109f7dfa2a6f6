import Foundation
import Freshet
import FreshetInspector

/// `freshet fetch`: fetches the URLs as one batch, and reports each event.
struct FetchCommand: RunnableCommand {
  let options: FetchOptions

  func run() async -> ExitStatus {
    let pieces: [URLPiece]
    do throws(UsageError) {
      pieces = try options.pieces()
    } catch {
      options.verbosity.error(Printable.line(error.message))
      return .usage
    }
    if let obstacle {
      options.verbosity.error(obstacle)
      return .failure
    }
    let disk = self.disk
    let journal = disk == nil ? nil : self.journal
    // Why there is none has been told.
    if options.continues, journal == nil { return .failure }
    // A journal that cannot be read is reported by the run.
    let completed = options.continues ? (try? journal?.completed()) ?? [] : []
    let folder = options.into.map { OutputFolder($0, completed: completed.map(\.url)) }
    do throws(FreshetError) {
      try folder?.make()
    } catch {
      options.verbosity.error(error.description)
      return .failure
    }
    let reporter = self.reporter
    let heads = HeadLog(isRecording: options.heads != .none) { reporter.note($0) }
    await connect()
    let client = client(disk, heads, reporter)
    let page: FetchPage?
    do throws(InspectorError) {
      page = options.isInspected ? try FetchPage(client) : nil
    } catch {
      options.verbosity.error(error.description)
      return .failure
    }
    let run = FetchRun(
      options,
      client: client,
      reporter: reporter,
      journal: journal,
      heads: heads,
      folder: folder
    )
    let status =
      options.streams
      ? await run.stream(URLLines(pieces: pieces))
      : await run.fetch(pieces.flatMap(\.texts))
    await page?.stay()
    await disk?.close()
    await options.shared?.close()
    return status
  }

  private func client(
    _ disk: DiskStore?,
    _ heads: HeadLog,
    _ reporter: any FetchReporter
  ) -> Client {
    Client {
      $0.policy = options.policy
      $0.headers = options.server.headers
      $0.retry = options.retryPolicy
      $0.interceptors = [heads]
      if let rate = options.rate { $0.interceptors.append(RateLimit(rate)) }
      let trace = options.traces ? Trace { reporter.trace($0) } : nil
      #if !canImport(Darwin)
      $0.transport = transport(trace)
      #else
      if let trace { $0.interceptors.append(TraceInterceptor(trace: trace)) }
      #endif
      $0.partition = options.partition
      $0.seeds = options.seeds.map { directory in
        SeedStore(directory: directory) { [verbosity = options.verbosity] in
          verbosity.error("\($0)")
        }
      }
      if options.isBatch { $0.memory = memory }
      $0.disk = disk
      $0.shared = options.shared
    }
  }

  /// Connects to the shared store; without it, everything is a miss there.
  private func connect() async {
    do throws(FreshetError) {
      try await options.shared?.connect()
    } catch {
      options.verbosity.note(Printable.line("the shared store is not used: \(error)"))
    }
  }

  #if !canImport(Darwin)
  private func transport(_ trace: Trace?) -> CurlTransport {
    CurlTransport { configuration in
      if let trace { configuration.trace = { trace.take($0, $1) } }
      options.server.configure(&configuration)
      // What has arrived beyond the rate cannot be held back.
      if options.rate != nil { configuration.window = 16 << 10 }
    }
  }
  #endif

  /// The store for URLs that repeat in a stream; in a list each URL is fetched once.
  private var memory: MemoryStore? {
    options.streams ? MemoryStore(configuration: .init(costLimit: 16 << 20)) : nil
  }

  private var disk: DiskStore? {
    guard let store = options.store else { return nil }
    // Offline, there is nothing to store.
    guard options.policy.network != .forbidden else {
      return Paths.storeToRead(store, options.verbosity)
    }
    let verbosity = options.verbosity
    return DiskStore(
      directory: store,
      onDiagnostic: { if case .databaseReplaced = $0 { verbosity.note("\($0)") } }
    )
  }

  private var reporter: any FetchReporter {
    switch options.format {
    case .json: JSONReporter()
    case .text:
      TextReporter(
        isBatch: options.isBatch,
        options.verbosity,
        sending: options.server.headers
      )
    }
  }
}

// MARK: - What is done

extension FetchCommand {
  /// The reason why no run can be continued, if that was requested; otherwise `nil`.
  private var obstacle: String? {
    guard options.continues, let store = options.store else { return nil }
    // A run of URLs can begin there.
    if options.isForURLs, !FileManager.default.fileExists(atPath: store.path) { return nil }
    guard Paths.isDirectory(store) else {
      return "there is nothing to continue: there is no store at \(store.path)"
    }
    guard FileManager.default.isWritableFile(atPath: store.path) else {
      return "nothing can be continued: the store at \(store.path) cannot be written"
    }
    return nil
  }

  /// The journal of the run, in the store's directory.
  private var journal: BatchJournal? {
    guard options.isBatch, let store = options.store else { return nil }
    let files = FileManager.default
    try? files.createDirectory(
      at: store,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    // A store that cannot be written costs persistence, never the response.
    guard Paths.isDirectory(store), files.isWritableFile(atPath: store.path) else {
      let message = "the store at \(store.path) cannot be written"
      if options.continues {
        options.verbosity.error("nothing can be continued: \(message)")
      } else {
        options.verbosity.note("the run cannot be continued if it is interrupted: \(message)")
      }
      return nil
    }
    var journal = BatchJournal(at: store.appending(path: "batch.journal"))
    // Without URLs, the run is of all that remain, with its own method.
    journal.keepsOthers = options.continues && options.isForURLs
    // A received body is not done before it has been written, which may be later.
    journal.awaitsConfirmation = true
    do {
      _ = try journal.remaining()
    } catch {
      // Another file in its place is left alone. A run that continues tells what it is.
      if options.continues { return journal }
      options.verbosity.note("the run cannot be continued if it is interrupted: \(error)")
      return nil
    }
    return journal
  }
}

extension URLPiece {
  fileprivate var texts: [String] {
    if case .texts(let texts) = self { texts } else { [] }
  }
}
