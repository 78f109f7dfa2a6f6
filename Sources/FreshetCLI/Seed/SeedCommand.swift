import Foundation
import Freshet

/// `freshet seed`: makes a folder of seeds, from the network, from a store, or from old ones.
struct SeedCommand: RunnableCommand {
  let options: SeedOptions

  func run() async -> ExitStatus {
    var status = ExitStatus.success
    do throws(FreshetError) {
      var builder = try SeedBuilder(directory: options.into)
      switch options.source {
      case .network:
        let client = options.server.client()
        for url in options.urls {
          let isAdded = await add(url, &builder, askedWith: options.server.headers) {
            () async throws(FreshetError) in
            try await client.resource(try URLText.request(.get, url)).value.response
          }
          if !isAdded { status = .failure }
        }
      case .docker(let directory):
        for url in options.urls {
          let isAdded = await add(url, &builder) { () throws(FreshetError) in
            let seeded = try URLText.request(.get, url).url
            let response = try SeedStore.dockerSeed(for: seeded, in: directory)
            guard let response else { throw .notStored(url: url) }
            return response
          }
          if !isAdded { status = .failure }
        }
      case .store(let directory):
        if try await !export(from: directory, &builder) { status = .failure }
      }
      try builder.write()
      return status
    } catch {
      fail(options.into.path, error)
      return .failure
    }
  }

  /// Exports a store; responses that cannot be seeds are skipped unless they were named.
  private func export(
    from directory: URL,
    _ builder: inout SeedBuilder
  ) async throws(FreshetError) -> Bool {
    if let problem = Paths.obstacle(toReading: directory) { throw .store(problem) }
    let store = DiskStore(directory: directory)
    var missing: Set<CacheKey> = []
    var succeeded = true
    for url in options.urls {
      do throws(FreshetError) {
        missing.insert(CacheKey(try URLText.request(.get, url)))
      } catch {
        fail(url, error)
        succeeded = false
      }
    }
    let wanted = missing
    let isWhole = options.urls.isEmpty
    do throws(FreshetError) {
      for try await entry in store.entries where entry.partition.isEmpty {
        guard isWhole || wanted.contains(entry.key),
          options.prefix.map({ entry.url.absoluteString.hasPrefix($0) }) ?? true,
          let response = await store.response(for: entry)
        else { continue }
        missing.remove(entry.key)
        let isAdded = await add(entry.url.absoluteString, &builder) { response }
        if !isAdded, !isWhole { succeeded = false }
      }
    } catch {
      // What was exported before is written; of the rest nothing is known.
      fail(directory.path, error)
      (succeeded, missing) = (false, [])
    }
    await store.close()
    for key in missing { fail(key.text, .notStored(url: key.text)) }
    return succeeded && missing.isEmpty
  }

  private func add(
    _ url: String,
    _ builder: inout SeedBuilder,
    askedWith headers: HTTPHeaders = [:],
    _ response: () async throws(FreshetError) -> StoredResponse
  ) async -> Bool {
    do throws(FreshetError) {
      try tell(url, try builder.add(try await response(), askedWith: headers))
      return true
    } catch {
      fail(url, error)
      return false
    }
  }
}

extension SeedCommand {
  private func tell(_ url: String, _ seed: Seed) throws(FreshetError) {
    guard options.format == .json else {
      return Console.error(
        Printable.line("\(URLText.shown(url)): \(seed.length) bytes in \(seed.file)")
      )
    }
    var line = JSONLine(event: "seed")
    line.add("url", url)
    line.add("file", seed.file)
    line.add("bytes", seed.length)
    line.add("sha256", seed.digest.hex)
    try Console.out(line.text)
  }

  private func fail(_ url: String, _ error: FreshetError) {
    Console.report(error, of: url, as: options.format)
  }
}
