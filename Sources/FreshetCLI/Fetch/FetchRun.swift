import Foundation
import Freshet

/// One run of `freshet fetch`: from URLs as text to bodies, reports and a status.
///
/// Reports and bodies are identified by the positions of the batch's items.
final class FetchRun {
  private let options: FetchOptions
  private let client: Client
  private let reporter: any FetchReporter
  private var journal: BatchJournal?
  private let texts = FetchTexts()
  private let rejected: RejectedURLs
  private let heads: HeadLog
  private let folder: OutputFolder?
  /// The output of several bodies, if there is one.
  private let output: StandardOutput?
  private var status = ExitStatus.success
  /// The places of bodies that have arrived and could not be written, besides those of failed items.
  private var unwritten: Set<Int> = []
  /// The places of failed items.
  private var failed: Set<Int> = []
  /// The number of URLs that have not changed since the caller's own condition.
  private var unmodified = 0
  /// The places of stale copies that stand in for failures which are about to be reported.
  private var replaced: Set<Int> = []
  /// Records in the journal that an item is done.
  private var confirm: (Int) -> Void = { _ in }
  /// Takes a failed item for done.
  private var accept: (Int) -> Void = { _ in }

  static let maximumConcurrency = 6

  init(
    _ options: FetchOptions,
    client: Client,
    reporter: any FetchReporter,
    journal: BatchJournal?,
    heads: HeadLog,
    folder: OutputFolder?
  ) {
    self.options = options
    self.heads = heads
    self.folder = folder
    self.client = client
    self.reporter = reporter
    self.journal = journal
    rejected = RejectedURLs(reporter)
    output = options.writesToStandardOutput ? StandardOutput(reporter, options) : nil
  }

  /// Fetches a list of URLs; several are planned first.
  func fetch(_ urls: [String]) async -> ExitStatus {
    await end { () throws(FreshetError) in
      let requests = requests(try remaining(urls))
      guard options.output == nil || requests.count <= 1 else {
        options.verbosity.error(
          "--output takes the body of one URL, and \(requests.count) are left; see --into"
        )
        status = .usage
        return
      }
      var batch = client.batch(requests)
      try record(batch)
      if options.isBatch, options.plansFirst {
        batch = client.batch(try await plan(batch))
        heads.removeAll()
      }
      try await report(run(batch))
    }
  }

  /// Fetches URLs as they arrive.
  func stream(_ lines: URLLines) async -> ExitStatus {
    let requests = lines.compactMap { [options, texts, rejected] text -> Request? in
      do throws(FreshetError) {
        let request = try options.request(text)
        texts.add(text)
        return request
      } catch {
        rejected.add(text, error)
        return nil
      }
    }
    return await end { () throws(FreshetError) in
      try record(client.batch([] as [Request]))
      try await report(run(client.batch(requests)))
    }
  }

  private func end(_ work: () async throws(FreshetError) -> Void) async -> ExitStatus {
    let watch = Task { [reporter] in await reporter.watch() }
    defer { watch.cancel() }
    do throws(FreshetError) {
      try await work()
      if let failure = rejected.failure { throw failure }
      reporter.finish()
    } catch {
      reporter.finish()
      options.verbosity.error(error.description)
      status = .failure
    }
    return rejected.count > 0 ? .failure : status
  }

  private func run(_ batch: Batch) -> BatchSequence {
    batch.run(
      maxConcurrent: Self.maximumConcurrency,
      perHost: Self.maximumConcurrency,
      control: output?.control,
      journal: journal
    )
  }
}

// MARK: - Before

extension FetchRun {
  /// Records a batch in the journal, which a run that continues none can do without.
  private func record(_ batch: Batch) throws(FreshetError) {
    do throws(FreshetError) {
      try journal?.record(batch)
    } catch {
      if options.continues { throw error }
      options.verbosity.note("the run cannot be continued if it is interrupted: \(error)")
      journal = nil
    }
  }

  /// Returns the URLs to fetch: with `--continue`, those that are not done yet.
  private func remaining(_ urls: [String]) throws(FreshetError) -> [String] {
    guard options.continues, let journal else { return urls }
    guard options.isForURLs else {
      let left = try journal.remaining()?.items.map { $0.request.url.absoluteString } ?? []
      if left.isEmpty { options.verbosity.note("there is nothing to continue") }
      return left
    }
    let done = try journal.completed()
      .reduce(into: [HTTPMethod: Set<CacheKey>]()) { done, request in
        done[request.method, default: []].insert(CacheKey(request))
      }
    return urls.filter { text in
      guard let request = try? URLText.request(options.usedMethod, text) else { return true }
      return done[request.method]?.contains(CacheKey(request)) != true
    }
  }

  /// Returns the requests of the valid URLs, each URL once; the others are reported as failures.
  private func requests(_ urls: [String]) -> [Request] {
    var seen: Set<CacheKey> = []
    var requests: [Request] = []
    for url in urls {
      do throws(FreshetError) {
        let request = try options.request(url)
        // What is left of a run stays in its journal.
        if options.isForURLs, let file = options.output { try OutputFile(file).check() }
        // All have the same header fields, so that only the key can differ.
        guard seen.insert(CacheKey(request)).inserted else { continue }
        requests.append(request)
        texts.add(url)
      } catch {
        rejected.add(url, error)
      }
    }
    return requests
  }

  private func plan(_ batch: Batch) async throws(FreshetError) -> BatchPlan {
    for try await event in batch.plan(maxConcurrent: 16, perHost: 16) {
      switch event {
      case .counted(_, let totals):
        reporter.counted(totals)
      case .planned(let plan):
        var totals = plan.totals
        totals.items += rejected.count
        totals.unknown += rejected.count
        try reporter.plan(totals)
        return plan
      }
    }
    throw .cancelled
  }
}

// MARK: - During

extension FetchRun {
  private func report(_ run: BatchSequence) async throws(FreshetError) {
    var events = run.makeAsyncIterator()
    confirm = { [events] in events.confirm($0) }
    accept = { [events] in events.accept($0) }
    while let event = try await events.next() {
      switch event {
      case .started(let item):
        output?.start(item.index)
        folder?.reserve(item.index, item.request.url)
        // In ASCII, so that a line on a terminal is as wide as it has characters.
        reporter.started(item.request.url.absoluteString, item.index)
      case .progressed(let item, let progress):
        try reporter.progress(progress, texts[item.index], item.index)
      case .received(let item, let resource):
        try await receive(resource, item)
      case .failed(let item, let error):
        failed.insert(item.index)
        unwritten.remove(item.index)
        try await fail(error, item)
      case .advanced(let progress):
        guard options.isBatch else {
          reporter.advanced(progress)
          continue
        }
        try reporter.batch(whole(progress), isLast: false)
      case .finished(let result):
        if options.isBatch { try reporter.batch(whole(result.progress), isLast: true) }
      }
    }
  }

  private func receive(_ resource: Resource, _ item: BatchItem) async throws(FreshetError) {
    let place = item.index
    var head = Data()
    do throws(FreshetError) {
      var file: URL?
      if resource.isFinal {
        head = self.head(of: resource, item.request)
        file = try await write(resource, after: head, item)
      }
      try reporter.value(resource, file, texts[place], place)
    } catch {
      guard resource.replacedFailure != nil else {
        unwritten.insert(place)
        return try await fail(error, item)
      }
      // The failure that the stale copy has replaced follows.
      status = .failure
      return try reporter.error(error, texts[place], place)
    }
    guard resource.isFinal else { return }
    if resource.replacedFailure == nil { texts.remove(place) } else { replaced.insert(place) }
    guard let output else { return confirm(place) }
    try await end(place, head: head, resource.body, in: output)
  }

  /// Writes a body to its file, if it has one.
  private func write(
    _ resource: Resource,
    after head: Data,
    _ item: BatchItem
  ) async throws(FreshetError) -> URL? {
    if resource.replacedFailure != nil, let file = existing(item, resource.headers) {
      reporter.note("\(file.relativePath) is left as it is, because the stored copy is stale")
      return nil
    }
    if let file = options.output {
      try await OutputFile(file).take(resource.body, after: head)
      return nil
    }
    return try await folder?
      .take(
        resource.body,
        after: head,
        of: item.index,
        asked: item.request.url,
        resource.headers
      )
  }

  /// The file with content that a body would replace.
  private func existing(_ item: BatchItem, _ headers: HTTPHeaders) -> URL? {
    guard let file = options.output else { return folder?.existing(item.index, headers) }
    return OutputFile(file).hasContent ? file : nil
  }

  private func fail(_ error: FreshetError, _ item: BatchItem) async throws(FreshetError) {
    let place = item.index
    let log = heads.take(item.request)
    let isAnswer = isUnmodified(error)
    if isAnswer {
      unmodified += 1
      accept(place)
      try reporter.unmodified(error, texts[place], place)
    } else {
      status = .failure
      try reporter.error(error, texts[place], place)
    }
    texts.remove(place)
    // The body of a stale copy has been written.
    guard replaced.remove(place) == nil else { return }
    var head = Data()
    var body: ResourceBody?
    if options.heads != .none, isAnswer || !options.hidesErrorResponses,
      case .status(let last, let data) = error
    {
      head = HeadText.data(log.heads + [last], version: log.version, isShown: Console.showsOutput)
      body = ResourceBody(data)
    }
    // The bodies after it may have waited for it.
    if let output { try await end(place, head: head, body, in: output) }
  }

  /// Writes the bodies that are due behind this one.
  private func end(
    _ place: Int,
    head: Data,
    _ body: ResourceBody?,
    in output: StandardOutput
  ) async throws(FreshetError) {
    let failures = try await output.end(place, head: head, body, written: confirm)
    guard !failures.isEmpty else { return }
    unwritten.formUnion(failures.filter { !failed.contains($0) })
    status = .failure
  }

  /// Returns whether the response says that the caller's own condition is not met.
  private func isUnmodified(_ error: FreshetError) -> Bool {
    guard case .status(let head, _) = error, head.status == .notModified else { return false }
    return [.ifNoneMatch, .ifModifiedSince].contains(where: options.server.headers.contains)
  }

  /// The heads of what answered, if they are asked for.
  private func head(of resource: Resource, _ request: Request) -> Data {
    let before = heads.take(request).heads
    guard options.heads != .none else { return Data() }
    let last = ResponseHead(
      status: resource.status,
      headers: resource.headers,
      url: resource.response.head.url
    )
    return HeadText.data(
      before + [last],
      version: resource.metrics?.networkProtocol,
      isShown: options.writesToStandardOutput && Console.showsOutput
    )
  }

  private func whole(_ progress: BatchProgress) -> BatchProgress {
    let count = rejected.count
    var progress = progress
    progress.endedItems += count
    progress.failedItems = max(0, progress.failedItems + count + unwritten.count - unmodified)
    progress.totalItems += count
    return progress
  }
}
