import Foundation
import Freshet

/// `freshet stats`: prints what a store holds as text with bars.
struct StatsCommand: RunnableCommand {
  let options: StatsOptions

  func run() async -> ExitStatus {
    guard let store = Paths.storeToRead(options.store) else { return .failure }
    do throws(FreshetError) {
      let now = Date()
      var figures = StoreFigures()
      for try await entry in store.entries {
        let response = await store.responseWithoutBody(for: entry)
        figures.add(StoreFigures.Response(entry, response, now: now))
      }
      await store.close()
      try Console.out(figures.text(width: Console.textWidth))
      return .success
    } catch {
      await store.close()
      Console.error("freshet: \(error)")
      return .failure
    }
  }
}

extension StoreFigures.Response {
  /// Makes the figures of an entry.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - response: Its response; `nil` if it was removed in the meantime.
  ///   - now: The current time.
  init(_ entry: DiskStore.Entry, _ response: StoredResponse?, now: Date) {
    let type = response?.head.headers[.contentType]?.prefix { $0 != ";" } ?? ""
    self.init(
      host: entry.url.host(percentEncoded: false) ?? "",
      type: type.trimmingCharacters(in: .whitespaces).lowercased(),
      length: entry.length,
      age: now.timeIntervalSince(entry.stored),
      idle: entry.used.map { now.timeIntervalSince($0) },
      phase: response.map {
        StoreFigures.Phase($0.outlook(expiry: .http, limits: StaleLimits(), now: now))
      }
    )
  }
}

extension StoreFigures.Phase {
  init(_ outlook: StoredOutlook) {
    let late = outlook.freshness.staleness
    if outlook.mustValidate {
      self = .validated
    } else if outlook.freshness.isFresh {
      self = .fresh
    } else if late <= max(outlook.staleWhileRevalidate, outlook.staleIfError) {
      self = .stale
    } else {
      self = .gone
    }
  }
}
