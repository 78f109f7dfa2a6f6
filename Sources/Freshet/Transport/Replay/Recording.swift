import FreshetEssentials

extension Transport {
  /// Records each exchange; each hop of a redirect is an exchange of its own.
  ///
  /// An exchange is recorded when it ends, successful or not; one that was not read to its end is recorded
  /// with an error. It records the transport that it decorates: decorate a demo to record the demo.
  ///
  /// - Parameter recorder: The recorder.
  /// - Returns: A transport.
  public func recording(to recorder: HARRecorder) -> some Transport {
    ObservedTransport(base: self, name: "recording", scope: .hop) { Tape($0, recorder) }
  }
}

/// The recording of one exchange; releasing it before its end records the exchange as cancelled.
private final class Tape: TransferObserver {
  private var recording: RecordedExchange?
  private let recorder: HARRecorder

  init(_ request: Request, _ recorder: HARRecorder) {
    recording = RecordedExchange(request, began: recorder.now())
    self.recorder = recorder
  }

  deinit {
    finish(.cancelled)
  }

  func note(_ event: TransferEvent) -> TransferEvent {
    switch event {
    case .head(let head):
      recording?.head = head
    case .body(let chunk):
      recording?.bodySize += Int64(chunk.count)
      let size = (recording?.body.count ?? 0) + chunk.count
      if size <= recorder.maximumBodySize { recording?.body.append(chunk) }
    case .finished(let metrics):
      recording?.metrics = metrics
      finish(nil)
    case .waitingForConnectivity, .sent, .redirected, .retrying, .interim:
      break
    }
    return event
  }

  func end(_ error: FreshetError) {
    finish(error)
  }

  private func finish(_ error: FreshetError?) {
    guard var recording = recording.take() else { return }
    recording.error = error
    recorder.add(recording)
  }
}
