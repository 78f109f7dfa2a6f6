import Foundation

extension Transport {
  /// Records each exchange that passes here, each hop of a redirect for itself.
  ///
  /// An exchange is kept when it ends, whether it succeeds, fails or is not read to its end; one
  /// that was not read to its end is kept with an error. What is recorded is what stands inside:
  /// put it around a demo to record the demo.
  ///
  /// - Parameter recorder: Where to.
  /// - Returns: A transport.
  public func recording(to recorder: HARRecorder) -> some Transport {
    RecordingTransport(base: self, recorder: recorder)
  }
}

struct RecordingTransport: Transport {
  let base: any Transport
  let recorder: HARRecorder

  func send(_ request: Request) -> Transfer {
    Transfer(hops: request) { Events(request: $0, transport: self) }
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    base.addedFields(for: request)
  }
}

extension RecordingTransport {
  struct Events: AsyncIteratorProtocol {
    let request: Request
    let transport: RecordingTransport
    var tape: Tape?
    var events: Transfer.Iterator?

    init(request: Request, transport: RecordingTransport) {
      self.request = request
      self.transport = transport
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> TransferEvent? {
      if events == nil {
        tape = Tape(request, transport.recorder)
        events = transport.base.send(request).makeAsyncIterator()
      }
      do {
        let event = try await events?.next(isolation: actor)
        if let event { tape?.note(event) }
        return event
      } catch {
        tape?.end(error)
        throw error
      }
    }
  }

  /// One exchange; dropping it before its end keeps it as one that was cancelled.
  final class Tape {
    private var recording: HAR.Recording?
    private let recorder: HARRecorder

    init(_ request: Request, _ recorder: HARRecorder) {
      recording = HAR.Recording(request: request, began: recorder.now())
      self.recorder = recorder
    }

    deinit {
      end(.cancelled)
    }

    func note(_ event: TransferEvent) {
      switch event {
      case .head(let head):
        recording?.head = head
      case .body(let chunk):
        recording?.bodySize += Int64(chunk.count)
        let size = (recording?.body.count ?? 0) + chunk.count
        if size <= recorder.maximumBodySize { recording?.body.append(chunk) }
      case .finished(let metrics):
        recording?.metrics = metrics
        end(nil)
      case .sent, .redirected, .retrying:
        break
      }
    }

    func end(_ error: FreshetError?) {
      guard var recording = recording.take() else { return }
      recording.error = error
      recorder.add(HAR.Entry(recording, by: recorder))
    }
  }
}
