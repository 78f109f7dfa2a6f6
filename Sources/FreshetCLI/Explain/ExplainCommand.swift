import Freshet

/// `freshet explain`: looks each URL up and decides as a fetch would, and sends nothing.
struct ExplainCommand {
  let options: FetchOptions

  init(_ options: FetchOptions) {
    self.options = options
  }

  func run() async -> ExitStatus {
    var status = ExitStatus.success
    let disk = options.store.flatMap(Paths.storeToRead)
    let seeds = options.seeds.map { directory in
      SeedStore(directory: directory) { Console.error("freshet: \($0)") }
    }
    for url in options.urls {
      do throws(FreshetError) {
        try tell(try await outlook(for: url, disk, seeds))
      } catch {
        fail(url, error)
        status = .failure
      }
      disk?.forgetUses()
    }
    await disk?.close()
    return status
  }

  private func outlook(
    for url: String,
    _ disk: DiskStore?,
    _ seeds: SeedStore?
  ) async throws(FreshetError) -> Outlook {
    var request = try URLText.request(.get, url)
    request.headers = options.headers
    let wanted = Fetch.request(request, partition: options.partition)
    let looksUp = options.policy.network != .required
    switch (looksUp ? seeds : nil, looksUp ? disk : nil) {
    case (let seeds?, let disk?):
      return try await decide(wanted.lookup(in: seeds).lookup(in: disk), url)
    case (let seeds?, nil):
      return try await decide(wanted.lookup(in: seeds), url)
    case (nil, let disk?):
      return try await decide(wanted.lookup(in: disk), url)
    case (nil, nil):
      return try await decide(wanted, url)
    }
  }

  /// The first step of the chain up to where the network would be asked.
  private func decide(
    _ found: some AsyncSequence<Fetch, FreshetError> & Sendable,
    _ url: String
  ) async throws(FreshetError) -> Outlook {
    let policy = options.policy
    var steps = found.checkExpiry(policy.expiry, limits: policy.staleLimits).makeAsyncIterator()
    guard let step = try await steps.next(isolation: #isolation) else { throw .cancelled }
    return Outlook(url: url, step: step, policy: policy)
  }

  private func tell(_ outlook: Outlook) throws(FreshetError) {
    try Console.out(options.format == .json ? outlook.json.text : outlook.text)
  }

  private func fail(_ url: String, _ error: FreshetError) {
    guard options.format == .json else { return Console.error(Printable.line("\(url): \(error)")) }
    // It is a failure already, whether it can be told or not.
    try? Console.out(JSONLine(error, of: url).text)
  }
}
