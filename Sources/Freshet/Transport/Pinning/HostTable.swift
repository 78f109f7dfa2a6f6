import FreshetEssentials

/// Values by the names of hosts, as they are asked.
struct HostTable<Value: Sendable>: Sendable {
  private let values: [String: Value]

  /// Makes a table; of several spellings of a host, the last in alphabetical order counts.
  init(_ values: [String: Value]) {
    let hosts = values.sorted { $0.key < $1.key }
      .compactMap { host, value in PinnedHosts.normalized(host).map { ($0, value) } }
    self.values = Dictionary(hosts) { $1 }
  }

  /// The value of the host that a URL names.
  subscript(url: URL) -> Value? {
    guard !values.isEmpty, let host = URLOrigin(url)?.host else { return nil }
    return values[host.hasSuffix(".") ? String(host.dropLast()) : host]
  }
}
