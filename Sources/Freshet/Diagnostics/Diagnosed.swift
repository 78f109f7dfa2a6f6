import FreshetEssentials

extension Transport {
  /// Reports diagnostics of each call.
  ///
  /// Each call is reported as started and as ended exactly once, also if its reader abandons it. Around
  /// `retrying`, a call includes all its attempts; inside it, each attempt is a call.
  ///
  /// - Parameter diagnostics: The receiver of the diagnostics.
  /// - Returns: A transport.
  public func diagnosed(by diagnostics: Diagnostics) -> some Transport {
    ObservedTransport(base: self, name: "diagnosed", scope: .call) { CallReport($0, diagnostics) }
  }
}

/// Reports one call; releasing it before the end reports the call as cancelled.
final class CallReport: TransferObserver {
  private let request: Request
  private let diagnostics: Diagnostics
  private let call: Int
  private var status: HTTPStatus?
  private var isOver = false
  private var head: ResponseHead?
  private var body = Data()
  private var bodyCount: Int64 = 0

  init(_ request: Request, _ diagnostics: Diagnostics) {
    self.request = request
    self.diagnostics = diagnostics
    call = diagnostics.nextCall()
    tell(.started)
    if diagnostics.showsMessages {
      tell(.requested(DiagnosticMessage(request, limit: diagnostics.bodyLimit)))
    }
  }

  deinit {
    if !isOver { tell(.cancelled) }
  }

  func note(_ event: TransferEvent) -> TransferEvent {
    switch event {
    case .sent, .interim:
      break
    case .waitingForConnectivity:
      tell(.waitingForConnectivity)
    case .body(let chunk):
      collect(chunk)
    case .redirected(let redirect):
      tell(.redirected(to: Redaction.shown(redirect.target)))
    case .retrying(let attempt, let pause, let reason):
      tell(.retrying(attempt: attempt, after: pause, because: reason))
    case .head(let head):
      status = head.status
      if diagnostics.showsMessages { self.head = head }
      tell(.answered(head.status))
    case .finished(let metrics):
      isOver = true
      tellMessage()
      tell(.finished(status, metrics))
    }
    return event
  }

  func end(_ error: FreshetError) {
    isOver = true
    tellMessage()
    tell(error == .cancelled ? .cancelled : .failed(kind: error.kind, error.description))
  }

  /// Collects the body up to the limit, if bodies are shown.
  private func collect(_ chunk: Data) {
    guard head != nil else { return }
    bodyCount += Int64(chunk.count)
    if bodyCount > Int64(diagnostics.bodyLimit) {
      body = Data()
    } else {
      body.append(chunk)
    }
  }

  private func tellMessage() {
    guard let head = head.take() else { return }
    let rules = request.responseRules(for: head)
    let limit = diagnostics.bodyLimit
    let message = DiagnosticMessage(head.headers, body, count: bodyCount, limit: limit, rules)
    tell(.responded(head.status, message))
  }

  private func tell(_ occurrence: Diagnostic.Occurrence) {
    diagnostics.note(occurrence, of: call, request)
  }
}
