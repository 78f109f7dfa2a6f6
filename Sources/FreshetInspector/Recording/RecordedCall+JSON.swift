import Freshet
import FreshetEssentials

extension RecordedCall {
  func add(to text: inout JSONText) {
    let state = now
    text.object { addSummary(state, to: &$0) }
  }

  /// The row with everything that is known of it.
  var details: [UInt8] {
    let state = now
    return JSONText.object { text in
      addSummary(state, to: &text)
      text.add("priority", "\(request.priority)")
      addStages(state, to: &text)
      text.array("explanation", state.sentences)
      addMessages(state, to: &text)
      text.add("curl", request.withoutFragment.curlCommand(bodyLimit: bodyLimit))
      addTiming(state, to: &text)
      text.add("canRepeat", canRepeat)
      if let refresh = state.refresh {
        text.object("refresh") { text in
          text.add("at", refresh.at.inMilliseconds)
          text.array("explanation", refresh.words)
        }
      }
    }
  }

  /// A Boolean value that indicates whether the request can be sent again: some streams can be read once only.
  var canRepeat: Bool { request.isReplayable }

  private func addSummary(_ state: State, to text: inout JSONText) {
    text.add("id", id)
    text.add("client", client)
    text.add("kind", stages == nil ? "call" : "fetch")
    text.add("method", request.method.rawValue)
    text.add("url", Redaction.shown(request.url))
    text.array("tags", request.tags.sorted())
    text.add("began", date.timeIntervalSince1970 * 1_000)
    text.add("state", state.outcome.rawValue)
    text.add("ms", (state.ended ?? elapsed).inMilliseconds)
    if let status = state.head?.status { text.add("status", status.rawValue) }
    text.add("source", state.source?.rawValue)
    text.add("freshness", state.freshness?.rawValue)
    text.add("bytes", state.received)
    if let total = state.total { text.add("total", total) }
    text.add("error", state.error.map { Printable.line($0.description) })
    text.array("bars") { text in
      for bar in state.bars(isFetch: stages != nil, elapsed: elapsed) {
        text.array { text in
          text.add(nil, bar.name)
          text.add(nil, bar.start)
          text.add(nil, bar.end)
        }
      }
    }
  }

  private func addStages(_ state: State, to text: inout JSONText) {
    guard let stages else { return }
    let descriptions = stages.descriptions
    text.array("stages") { text in
      for (index, name) in stages.names.enumerated() {
        text.object { text in
          text.add("name", name)
          text.add("code", descriptions[index])
          text.array("replies") { text in
            for reply in state.replies where reply.stage == index {
              text.object { text in
                text.add("at", reply.at.inMilliseconds)
                text.add("took", reply.step.words)
                text.add("replied", reply.reply.words)
              }
            }
          }
        }
      }
    }
  }

  private func addMessages(_ state: State, to text: inout JSONText) {
    let limit = bodyLimit
    text.object("request") { text in
      text.add(DiagnosticMessage(request, limit: limit))
    }
    guard let head = state.head else { return }
    text.object("response") { text in
      text.add("url", Redaction.shown(head.url))
      let isKept = !state.body.isEmpty
      text.add(
        DiagnosticMessage(
          head.headers,
          state.body,
          count: isKept ? Int64(state.body.count) : 0,
          limit: limit,
          request.responseRules(for: head)
        )
      )
      text.add("length", state.received)
      text.add("bodiesAreShown", limit > 0)
      text.add("picture", PictureFormat(state.body) != nil)
    }
  }

  private func addTiming(_ state: State, to text: inout JSONText) {
    guard let metrics = state.metrics else { return }
    text.object("timing") { text in
      text.add("nameLookup", metrics.nameLookup.inMilliseconds)
      text.add("connect", metrics.connect.inMilliseconds)
      text.add("tls", metrics.tls?.inMilliseconds)
      text.add("firstByte", metrics.firstByte.inMilliseconds)
      text.add("total", metrics.total.inMilliseconds)
      text.add("bytesSent", metrics.bytesSent)
      text.add("bytesReceived", metrics.bytesReceived)
      text.add("protocol", metrics.networkProtocol)
      text.add("reused", metrics.reusedConnection)
    }
  }
}

extension RecordedCall.State {
  /// Returns a Boolean value that indicates whether the response or the failure is that of a request of its own: not
  /// that of a store, nor of a transfer that another fetch has begun.
  func wasSent(isFetch: Bool) -> Bool {
    guard head != nil || error?.isBeforeSending != true || isRepetition else { return false }
    guard isFetch else { return true }
    guard replies.contains(where: { $0.reply == .source }) else { return false }
    return metrics != nil || outcome != .succeeded
  }

  /// A Boolean value that indicates whether an earlier attempt or a redirected request was sent.
  private var isRepetition: Bool { detours.contains { $0.name != "network" } }

  /// The explanation as sentences; for a call to the network its detours.
  var sentences: [String] {
    let decisions = explanation.map(\.description)
    let detours = detours.map { Printable.line($0.text) }
    let failure = error.map { ["failed: \(Printable.line($0.description))"] } ?? []
    return decisions + detours + (outcome == .failed ? failure : [])
  }
}

extension FreshetError {
  /// A Boolean value that indicates whether the request was not sent.
  fileprivate var isBeforeSending: Bool {
    switch self {
    case .invalidRequest, .shutDown, .connection(.suspended, _), .timedOut(.connectivity, _): true
    default: false
    }
  }
}

extension Request {
  /// The request as it is sent: a fragment stays with the client.
  fileprivate var withoutFragment: Request {
    guard let url = URL(string: String(url.absoluteString.prefix { $0 != "#" })) else {
      return self
    }
    var request = self
    request.url = url
    return request
  }
}

extension JSONText {
  fileprivate mutating func add(_ message: DiagnosticMessage) {
    array("headers") { text in
      for field in message.headers {
        text.array { text in
          text.add(nil, field.name.rawValue)
          text.add(nil, Printable.line(field.value))
        }
      }
    }
    add("body", message.body)
  }
}

extension ObservedReply {
  var words: String {
    switch self {
    case .passed: "passed"
    case .step(let kind): kind.words
    case .steps(let first, let second): "\(first.words), then \(second.words)"
    case .source: "asks the network"
    case .shared: "shared"
    case .dropped: "dropped"
    case .restarted: "begins again"
    case .failed: "failed"
    }
  }
}
