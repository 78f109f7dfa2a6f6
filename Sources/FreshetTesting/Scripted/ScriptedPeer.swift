public import Freshet
public import FreshetEssentials

/// The server's side of a scripted response that is written while the request's body is read, see
/// ``ScriptedResponse/duplex(_:headers:_:)``.
///
/// Iterating delivers the chunks of the request's body, and ends with the body. One that fails ends the response,
/// too, as over a network.
public final class ScriptedPeer: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = Data

  /// The request.
  public let request: Request

  private let state = Watched(State())

  private struct State: Sendable {
    var task: Task<Void, Never>?
    /// The chunk that the client has not taken yet.
    var chunk: Data?
    var end: Result<Void, FreshetError>?
  }

  init(_ request: Request) {
    self.request = request
  }

  /// Makes an iterator of the request's body.
  ///
  /// Iterators of a ``/Freshet/DuplexStream`` share its chunks; another body begins anew.
  public func makeAsyncIterator() -> Iterator {
    Iterator(peer: self, chunks: request.body?.chunks.makeAsyncIterator())
  }

  /// Pulls the chunks of the request's body.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let peer: ScriptedPeer
    fileprivate var chunks: (any AsyncIteratorProtocol<Data, any Error>)?

    /// Waits for the next chunk; `nil` after the end of the body.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Data? {
      do {
        return try await chunks?.next(isolation: actor)
      } catch {
        let failure = error as? FreshetError ?? .cancelled
        if !Task.isCancelled { peer.end(.failure(failure)) }
        throw failure
      }
    }
  }
}

@available(*, unavailable)
extension ScriptedPeer.Iterator: Sendable {}

extension ScriptedPeer {
  /// Sends bytes as the next chunk of the response's body; waits until the client has taken the one before.
  ///
  /// - Throws: ``/Freshet/FreshetError/cancelled`` when the exchange has ended.
  public func send(_ bytes: Data) async throws(FreshetError) {
    guard !bytes.isEmpty else { return }
    let sent = await state.first { state -> Bool? in
      if state.end != nil { return false }
      guard state.chunk == nil else { return nil }
      state.chunk = bytes
      return true
    }
    guard sent == true else { throw .cancelled }
  }

  /// Sends a text in UTF-8.
  public func send(_ text: String) async throws(FreshetError) {
    try await send(Data(text.utf8))
  }
}

// MARK: - Exchange

extension ScriptedPeer {
  /// Begins to serve, in a task that retains the peer.
  func begin(_ serve: @escaping @Sendable (ScriptedPeer) async throws -> Void) {
    state.update { state in
      guard state.end == nil, state.task == nil else { return }
      state.task = Task {
        do {
          try await serve(self)
          end(.success(()))
        } catch {
          end(.failure(error as? FreshetError ?? .connection(.lost, url: "")))
        }
      }
    }
  }

  /// Waits for the next chunk of the response; `nil` at its end.
  func nextChunk() async throws(FreshetError) -> Data? {
    try await state.value { state -> Result<Data?, FreshetError>? in
      if let chunk = state.chunk.take() { return .success(chunk) }
      return state.end?.map { nil }
    }
  }

  /// Ends the exchange for the closure that serves.
  func cancel() {
    end(.failure(.cancelled))
    state.read(\.task)?.cancel()
  }

  private func end(_ end: Result<Void, FreshetError>) {
    state.update { state in
      if state.end == nil { state.end = end }
    }
  }
}
