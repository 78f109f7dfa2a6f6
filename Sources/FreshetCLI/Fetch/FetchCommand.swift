import Foundation
import Freshet

/// `freshet fetch`: fetches the URLs, at most six at a time, and reports each event.
struct FetchCommand {
  let options: FetchOptions
  let client: Client
  let reporter: any FetchReporter

  static let maximumConcurrency = 6

  init(_ options: FetchOptions) {
    self.options = options
    client = Client {
      $0.policy = options.policy
      $0.headers = options.headers
      $0.partition = options.partition
      $0.seeds = options.seeds.map { directory in
        SeedStore(directory: directory) { Console.error("freshet: \($0)") }
      }
      $0.disk = options.store.map { DiskStore(directory: $0) }
    }
    reporter =
      switch options.format {
      case .json: JSONReporter()
      case .text: TextReporter(count: options.urls.count)
      }
  }

  func run() async -> ExitStatus {
    var bodies = OrderedBodies()
    var status = ExitStatus.success
    await withTaskGroup(of: Outcome.self) { group in
      var waiting = Array(options.urls.enumerated())[...]
      for (index, url) in waiting.prefix(Self.maximumConcurrency) {
        group.addTask { await fetch(url, index) }
      }
      waiting = waiting.dropFirst(Self.maximumConcurrency)
      for await outcome in group {
        if !outcome.succeeded { status = .failure }
        if await !bodies.write(outcome) { status = .failure }
        guard let (index, url) = waiting.popFirst() else { continue }
        group.addTask { await fetch(url, index) }
      }
    }
    await client.configuration.disk?.close()
    return status
  }

  /// How one URL ended.
  struct Outcome: Sendable {
    let index: Int
    var succeeded = false
    /// What goes to standard output.
    var body: ResourceBody?
  }

  private func fetch(_ url: String, _ index: Int) async -> Outcome {
    var outcome = Outcome(index: index)
    do throws(FreshetError) {
      let request = try Request(url)
      for try await event in client.resource(request) {
        switch event {
        case .progress(let progress):
          reporter.progress(progress, url, index)
        case .value(let resource):
          if resource.isFinal {
            outcome.body = try place(resource.body)
          }
          try reporter.value(resource, url, index)
        }
      }
      outcome.succeeded = true
    } catch {
      outcome.body = nil
      reporter.error(error, url, index)
    }
    return outcome
  }

  /// Writes the body to the output file, or hands it on for standard output.
  private func place(_ body: ResourceBody) throws(FreshetError) -> ResourceBody? {
    guard let output = options.output else {
      return options.format == .text ? body : nil
    }
    try body.write(to: output)
    return nil
  }
}

/// Where a fetch's events go; called from several tasks at once.
protocol FetchReporter: Sendable {
  func progress(_ progress: TransferProgress, _ url: String, _ index: Int)
  func value(_ resource: Resource, _ url: String, _ index: Int) throws(FreshetError)
  func error(_ error: FreshetError, _ url: String, _ index: Int)
}
