import Freshet
import FreshetEssentials

extension Inspector {
  /// Returns the response to a request, for a server that mounts the inspector at one of its paths.
  ///
  /// The server removes its own path from the target, so that it begins with ``path``, and has to be named in
  /// ``Configuration/hosts``. It has to send the fields of the response unchanged: they protect the page.
  ///
  /// ```swift
  /// router.get("inspector/**") { request in
  ///   let response = await inspector.response(to: InspectorRequest(target: rest, headers: fields))
  /// }
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Returns: The response; a short one with an error status for a request that is refused.
  public func response(to request: InspectorRequest) async -> InspectorResponse {
    var hosts = Set(configuration.hosts.map { $0.lowercased() })
    if let port {
      for name in ["127.0.0.1", "localhost"] {
        hosts.insert("\(name):\(port)")
        // Browsers leave the default port out.
        if port == 80 { hosts.insert(name) }
      }
    }
    let check = AccessCheck(token: token, hosts: hosts)
    if let status = check.refusal(of: request) {
      return InspectorResponse(refused: status, of: request.method)
    }
    let path = request.segments.dropFirst().map(String.init)
    let response =
      request.method == .get ? await read(path, request) : await change(path, request)
    return response ?? InspectorResponse(refused: .notFound)
  }

  private func read(_ path: [String], _ request: InspectorRequest) async -> InspectorResponse? {
    switch path {
    // The page's relative URLs begin at the slash.
    case [] where request.endsWithSlash: .page("text/html; charset=utf-8", Page.markup)
    case ["page.css"]: .page("text/css; charset=utf-8", Page.style)
    case ["page.js"]: .page("text/javascript; charset=utf-8", Page.script)
    case ["api", "events"]:
      InspectorResponse(
        status: .ok,
        type: "text/event-stream",
        body: .events(InspectorEvents(recorder, shows, every: configuration.interval))
      )
    case ["api", "state"]: snapshot
    case ["api", "clients"]: InspectorResponse(json: clientsJSON)
    case ["api", "stores"]: InspectorResponse(json: await storesJSON())
    case ["export", "calls.har"]: export
    case ["export", "explanations.txt"]:
      InspectorResponse(
        .ok,
        "text/plain; charset=utf-8",
        Data(explanations.utf8),
        name: "explanations.txt"
      )
    default: await readItem(path)
    }
  }

  private func readItem(_ path: [String]) async -> InspectorResponse? {
    guard path.count >= 3, path[0] == "api", let id = Int(path[2]) else { return nil }
    switch (path[1], Array(path.dropFirst(3))) {
    case ("calls", []): return recorder.row(id).map { InspectorResponse(json: $0.details) }
    case ("calls", ["picture"]):
      guard let body = recorder.row(id)?.now.body, let format = PictureFormat(body) else {
        return nil
      }
      return InspectorResponse(.ok, format.rawValue, body)
    case ("stores", ["plan"]):
      guard let entry = listing.entry(id), let client = client(entry.client) else { return nil }
      return InspectorResponse(json: await entry.plan(by: client))
    default: return nil
    }
  }

  /// Answers a `POST`.
  private func change(_ path: [String], _ request: InspectorRequest) async -> InspectorResponse? {
    guard path.count == 4, path[0] == "api", let id = Int(path[2]) else { return nil }
    switch (path[1], path[3]) {
    case ("stores", "remove"):
      guard let entry = listing.entry(id) else { return nil }
      let isRemoved = await entry.remove()
      return InspectorResponse(json: JSONText.object { $0.add("removed", isRemoved) })
    case ("calls", "again"):
      guard let row = recorder.row(id), row.canRepeat, let client = client(row.client) else {
        return nil
      }
      repeatRow(row, by: client, isPastStores: request.parameter("past") == "stores")
      return InspectorResponse(json: JSONText.object { $0.add("repeated", true) })
    default: return nil
    }
  }

  /// Sends the request of a row again, which adds another row.
  private func repeatRow(_ row: RecordedCall, by client: Client, isPastStores: Bool) {
    let again = row.request.ofNewCall
    Task {
      if row.stages == nil {
        // It passed no store, and must not fill one now.
        _ = try? await client.send(again).value
      } else {
        var policy = client.configuration.policy
        if isPastStores { policy.network = .required }
        _ = try? await client.resource(again, policy: policy).value
      }
    }
  }

  private var snapshot: InspectorResponse {
    var changes = InspectorEvents.Changes(recorder, shows)
    return InspectorResponse(json: changes.json())
  }

  private var clientsJSON: [UInt8] {
    JSONText.object { text in
      text.array("clients") { text in
        for client in clients {
          text.object { text in
            text.add("number", client.number)
            text.add("name", client.name)
          }
        }
      }
      text.add("bodiesAreShown", configuration.bodies.limit > 0)
      text.add("capacity", recorder.capacity)
    }
  }

  private func storesJSON() async -> [UInt8] {
    var entries: [StoreListing.Entry] = []
    var counts: [InspectedClient.StoreCount] = []
    let clients = clients
    for client in clients {
      let (listed, sizes) = await client.stores()
      entries += listed
      counts += sizes
    }
    var models: [[UInt8]] = []
    for store in modelStores { models.append(await store.json()) }
    // The page shows the first ones.
    let numbered = listing.replace(entries.sorted { $0.length > $1.length })
    let configurations = Dictionary(
      uniqueKeysWithValues: clients.map { ($0.number, $0.client.configuration) }
    )
    return JSONText.object { text in
      text.array("stores") { text in
        for count in counts {
          text.object { text in
            text.add("client", count.client)
            text.add("store", count.store)
            text.add("count", count.count)
            text.add("bytes", count.bytes)
          }
        }
      }
      text.array("models") { text in for store in models { text.add(json: store) } }
      text.array("entries") { text in
        for (id, entry) in numbered {
          guard let configuration = configurations[entry.client] else { continue }
          text.object { entry.add(to: &$0, id: id, configuration) }
        }
      }
    }
  }

  /// The calls that have sent a request of their own, as an HTTP archive: a revalidation as the request and the response
  /// that were sent, and the confirmed copy as a comment.
  private var export: InspectorResponse? {
    let recorder = HARRecorder(
      maximumBodySize: configuration.bodies.limit,
      maximumCount: self.recorder.capacity,
      now: configuration.now
    )
    for row in self.recorder.rows {
      let state = row.now
      guard state.outcome != .running, state.wasSent(isFetch: row.stages != nil) else { continue }
      let metrics = state.metrics ?? TransferMetrics(total: state.ended ?? .zero)
      if let exchange = state.transfer?.confirmation {
        let status = state.head.map { " with status \($0.status.rawValue)" } ?? ""
        var recorded = RecordedExchange(exchange.request, began: row.date)
        recorded.head = exchange.head
        recorded.metrics = metrics
        recorded.comment =
          "It confirmed a stored response\(status) and \(state.received) bytes."
        recorder.add(recorded)
      } else {
        var recorded = RecordedExchange(row.request, began: row.date)
        recorded.head = state.head
        recorded.body = state.body
        recorded.bodySize = state.received
        recorded.metrics = metrics
        recorded.error = state.error
        recorder.add(recorded)
      }
    }
    guard let data = try? recorder.data() else { return nil }
    return InspectorResponse(.ok, "application/json", data, name: "calls.har")
  }

  private var explanations: String {
    recorder.rows
      .map { row in
        let state = row.now
        let status = state.head.map { "\($0.status.rawValue)" } ?? "\(state.outcome)"
        let title = "#\(row.id) \(row.request): \(status)"
        return ([Printable.line(title)] + state.sentences.map { "  \($0)" }).joined(separator: "\n")
      }
      .joined(separator: "\n\n") + "\n"
  }
}

extension InspectorResponse {
  fileprivate static func page(_ type: String, _ text: String) -> InspectorResponse {
    InspectorResponse(.ok, type, Data(text.utf8))
  }
}
