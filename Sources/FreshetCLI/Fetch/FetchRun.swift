import Foundation
import Freshet

/// One run of `freshet fetch`: from URLs as text to bodies, reports and a status.
///
/// Reports and bodies go by places, which count all that the user asked for.
final class FetchRun {
  private let options: FetchOptions
  private let client: Client
  private let reporter: any FetchReporter
  private let journal: BatchJournal?
  private let texts: FetchTexts
  private var bodies = OrderedBodies()
  private var status = ExitStatus.success
  /// How many ended before the batch began, because they are no URLs.
  private var invalidCount = 0

  static let maximumConcurrency = 6

  init(
    _ options: FetchOptions,
    client: Client,
    reporter: any FetchReporter,
    journal: BatchJournal?
  ) {
    self.options = options
    self.client = client
    self.reporter = reporter
    self.journal = journal
    texts = FetchTexts()
  }

  /// Fetches a list; if there are several, they are planned first.
  func fetch(_ urls: [String]) async -> ExitStatus {
    do throws(FreshetError) {
      var batch = client.batch(try requests(try remaining(urls)))
      if options.isBatch, options.plans {
        try journal?.record(batch)
        let plan = try await batch.plan(maxConcurrent: 16, perHost: 16).value
        try reporter.plan(totals(of: plan))
        batch = client.batch(plan)
      }
      try await report(run(batch))
    } catch {
      fail(error)
    }
    return status
  }

  /// Fetches what comes, as it comes.
  func stream(_ lines: InputLines) async -> ExitStatus {
    let requests = lines.compactMap { [texts] line -> Request? in
      guard let text = URLList.url(in: line) else { return nil }
      _ = texts.add(text)
      // What is no URL keeps its place: it fails as a request.
      return (try? Request(text)) ?? Request(URL(filePath: "/"))
    }
    do throws(FreshetError) {
      try await report(run(client.batch(requests)))
    } catch {
      fail(error)
    }
    return status
  }

  private func run(_ batch: Batch) -> BatchSequence {
    batch.run(
      maxConcurrent: Self.maximumConcurrency,
      perHost: Self.maximumConcurrency,
      journal: journal
    )
  }

  private func fail(_ error: FreshetError) {
    Console.error("freshet: \(error)")
    status = .failure
  }
}

// MARK: - Before

extension FetchRun {
  /// What is to be fetched: with `--continue`, what is not done yet.
  private func remaining(_ urls: [String]) throws(FreshetError) -> [String] {
    guard options.continues, let journal else { return urls }
    guard !urls.isEmpty else {
      return try journal.remaining()?.items.map { $0.request.url.absoluteString } ?? []
    }
    let done = Set(try journal.completed().map(\.url))
    return urls.filter { text in
      guard let request = try? Request(text) else { return true }
      return !done.contains(request.url)
    }
  }

  /// The requests for those that are URLs, each URL once; the others have failed.
  private func requests(_ urls: [String]) throws(FreshetError) -> [Request] {
    var seen: Set<CacheKey> = []
    var requests: [Request] = []
    var invalid: [(String, FreshetError)] = []
    for url in urls {
      do throws(FreshetError) {
        let request = try options.request(url)
        // All have the same header fields, so that the key is all that can differ.
        guard seen.insert(CacheKey(request)).inserted else { continue }
        requests.append(request)
        _ = texts.add(url)
      } catch {
        invalid.append((url, error))
      }
    }
    for (url, error) in invalid {
      status = .failure
      invalidCount += 1
      let place = texts.add(url)
      try reporter.error(error, url, place)
    }
    return requests
  }

  private func totals(of plan: BatchPlan) -> BatchPlan.Totals {
    var totals = plan.totals
    totals.items += invalidCount
    totals.unknown += invalidCount
    return totals
  }
}

// MARK: - During

extension FetchRun {
  private func report(_ run: BatchSequence) async throws(FreshetError) {
    for try await event in run {
      switch event {
      case .started(let item):
        reporter.started(texts[item.index], item.index)
      case .progressed(let item, let progress):
        try reporter.progress(progress, texts[item.index], item.index)
      case .received(let item, let resource):
        try await receive(resource, item.index)
      case .failed(let item, let error):
        let text = texts[item.index]
        var error = error
        // What is no URL stood there as a request that fails, see ``stream(_:)``.
        if case .invalidRequest = error { error = URLText.problem(text) ?? error }
        try reporter.error(error, text, item.index)
        await end(item.index, failed: true)
      case .advanced(let progress):
        if options.isBatch { try reporter.batch(whole(progress), isLast: false) }
      case .finished(let result):
        if options.isBatch { try reporter.batch(whole(result.progress), isLast: true) }
      }
    }
  }

  private func receive(_ resource: Resource, _ index: Int) async throws(FreshetError) {
    do throws(FreshetError) {
      let body = resource.isFinal ? try await place(resource.body) : nil
      try reporter.value(resource, texts[index], index)
      if resource.isFinal { await end(index, body: body) }
    } catch {
      try reporter.error(error, texts[index], index)
      await end(index, failed: true)
    }
  }

  private func end(_ index: Int, body: ResourceBody? = nil, failed: Bool = false) async {
    if failed { status = .failure }
    if await !bodies.write(body, at: index) { status = .failure }
    texts.remove(index)
  }

  /// Writes the body to the output file, or hands it on for standard output.
  private func place(_ body: ResourceBody) async throws(FreshetError) -> ResourceBody? {
    guard let output = options.output else {
      return options.format == .text ? body : nil
    }
    try await OutputFile(output).take(body)
    return nil
  }

  private func whole(_ progress: BatchProgress) -> BatchProgress {
    var progress = progress
    progress.endedItems += invalidCount
    progress.failedItems += invalidCount
    progress.totalItems += invalidCount
    return progress
  }
}
