public import FreshetEssentials

/// A resumable upload and its response, see ``Client/upload(_:to:contentType:options:)``.
///
/// - Cold: nothing happens before it is iterated; each iteration uploads again, or resumes what its journal
///   records.
/// - It delivers progress and one value, the response to the whole upload; then it ends, or it throws once.
/// - Progress goes back after a break to what the server has. What an earlier process had sent counts as
///   ``TransferProgress/inherited``.
/// - Ending or cancelling the iteration ends the transfer. What the server has stays there, unless
///   ``UploadOptions/deletesWhenCancelled``.
/// - A pause between two requests is a running call of the client's ``Client/activity``.
/// - The body of the response has at most 64 MiB.
/// - A status other than 2xx fails with ``FreshetError/status(_:body:)``.
/// - A file that changes before its last byte is sent fails with ``FreshetError/file(_:path:)``.
public struct UploadSequence: AsyncSequence, Sendable {
  let client: Client
  let request: Request
  let options: UploadOptions

  /// Makes an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(run: UploadRun(self))
  }

  /// Pulls the events of one upload.
  public struct Iterator: AsyncIteratorProtocol {
    let run: UploadRun

    /// Waits for the next event; `nil` after the response.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      try await run.next()
    }
  }
}

@available(*, unavailable)
extension UploadSequence.Iterator: Sendable {}

extension UploadSequence: PipelineDescribable, CustomStringConvertible {
  /// The request, and the protocol by which it is resumed.
  package var words: PipelineDescription {
    PipelineDescription("\(request)", ".upload(.\(options.resumption.rawValue))")
  }
}
