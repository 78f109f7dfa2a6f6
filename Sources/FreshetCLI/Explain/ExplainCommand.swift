import Freshet

/// `freshet explain`: prints the plan of each URL's fetch; nothing is sent.
struct ExplainCommand: RunnableCommand {
  let options: FetchOptions

  func run() async -> ExitStatus {
    var status = ExitStatus.success
    let disk = options.store.flatMap { Paths.storeToRead($0) }
    // The plan would not be that for the given store.
    if options.store != nil, disk == nil { return .failure }
    disk?.ignoreUses()
    let seeds = options.seeds.map { directory in
      SeedStore(directory: directory) { Console.error("freshet: \($0)") }
    }
    let client = Client {
      $0.seeds = seeds
      $0.memory = nil
      $0.disk = disk
      $0.partition = options.partition
      $0.policy = options.policy
    }
    for url in options.urls {
      do throws(FreshetError) {
        try tell(try await outlook(for: url, client))
      } catch {
        Console.report(error, of: url, as: options.format)
        status = .failure
      }
    }
    await disk?.close()
    return status
  }

  private func outlook(
    for url: String,
    _ client: Client
  ) async throws(FreshetError) -> Outlook {
    var request = try URLText.request(.get, url)
    request.headers = options.server.headers
    let plan = try await client.chain(for: request).plan()
    return Outlook(url: url, plan, isOffline: options.policy.network == .forbidden)
  }

  private func tell(_ outlook: Outlook) throws(FreshetError) {
    try Console.out(options.format == .json ? outlook.json.text : outlook.text)
  }
}
