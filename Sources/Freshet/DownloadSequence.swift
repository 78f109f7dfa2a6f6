/// A download to a file, see ``Client/download(_:to:expecting:policy:)-(URL,_,_,_)``.
///
/// - Cold: nothing happens before it is iterated, and each iteration downloads again.
/// - Delivers progress and one value, whose body is in the file; then it ends, or it throws once. A
///   failure leaves the file as it was, unless it breaks off the copy into one.
/// - Ending or cancelling the iteration cancels the transfer; what has arrived waits to be resumed. The
///   iteration does not wait until the files are closed, and an empty folder is removed, which takes a
///   few milliseconds more; ``Client/shutdown(grace:)`` does.
/// - A stored copy that turns out to be damaged while it is copied to a file is downloaded instead, if the
///   policy allows the network.
///
/// The file is treated as `curl -o` treats it:
///
/// - A new file has the permissions of any new file, as the process's `umask` says.
/// - A file that is there keeps its permissions and its owner, and is replaced as a whole. The target
///   of a symbolic link is replaced, and not the link.
/// - A file that may not be written, a directory and a missing directory are failures, before anything
///   is sent.
/// - A pipe or a device is written into. So are a file with several names, one that is mounted, one in a
///   directory that may not be written, and one of another user: their bytes are copied at the end. A
///   cancellation does not interrupt the copy into a file, of which the rest would be lost.
///
/// Two downloads to the same file at the same time both succeed; the file is the whole body of one of
/// them.
public struct DownloadSequence: AsyncSequence, Sendable {
  let client: Client
  let request: Request
  let target: DownloadTarget
  let policy: ResourcePolicy

  /// Makes an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(download: self)
  }

  /// Pulls the events of one download.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let download: DownloadSequence
    fileprivate var state = State.ready
    /// A Boolean value that indicates whether the copy of a store was damaged.
    fileprivate var hasRepeated = false

    fileprivate enum State {
      case ready
      case running(FetchRun, ArrivalFolder?)
      case over
    }

    /// Waits for the next event; `nil` after the value.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Resource>? {
      var run: FetchRun
      let folder: ArrivalFolder?
      switch exchange(&state, with: .over) {
      case .over: return nil
      case .running(let running, let arrival): (run, folder) = (running, arrival)
      case .ready: (run, folder) = try await download.begin()
      }
      do throws(FreshetError) {
        while let step = try await run.next(isolation: actor) {
          switch try step.settled() {
          case .progress(let progress):
            state = .running(run, folder)
            return .progress(progress)
          case .value(let resource):
            // A failure must not replace the file by what was there before.
            if let failure = resource.replacedFailure { throw failure }
            guard let placed = try await download.place(resource, from: folder, !hasRepeated) else {
              hasRepeated = true
              run = download.run(network: .required, arrivingIn: folder)
              continue
            }
            folder?.clear()
            return .value(placed)
          }
        }
      } catch {
        throw download.target.named(error, folder)
      }
      throw .noValue
    }
  }

  /// Examines the target, and starts the fetch.
  private func begin() async throws(FreshetError) -> (FetchRun, ArrivalFolder?) {
    guard request.method != .head else {
      throw .invalidRequest("a HEAD has no body to download", url: Redaction.shown(request.url))
    }
    let folder = try await target.prepare(
      during: client.settings.lifecycle.begin(),
      now: client.settings.configuration.now()
    )
    return (run(network: policy.network, arrivingIn: folder), folder)
  }

  private func run(network: ResourcePolicy.Network, arrivingIn folder: ArrivalFolder?) -> FetchRun {
    var policy = policy
    policy.network = network
    let stages = client.settings.stages.make(
      target,
      FetchOptions(policy: policy),
      arrivingIn: folder
    )
    return FetchRun(client.chain(prepared: client.prepared(request), stages))
  }

  /// Puts a body in its place.
  ///
  /// - Returns: The resource; `nil` if the copy of a store is damaged, and may be replaced by a download.
  private func place(
    _ resource: Resource,
    from folder: ArrivalFolder?,
    _ mayRepeat: Bool
  ) async throws(FreshetError) -> Resource? {
    do throws(FreshetError) {
      return try await target.take(resource, from: folder)
    } catch {
      // Without a folder, the bytes went into a pipe or an open file.
      guard mayRepeat, case .corrupted = error, folder != nil, resource.source != .network,
        policy.network != .forbidden
      else { throw error }
      return nil
    }
  }
}

@available(*, unavailable)
extension DownloadSequence.Iterator: Sendable {}

extension DownloadSequence: PipelineDescribable, CustomStringConvertible {
  /// The request and where its body goes.
  package var words: PipelineDescription {
    PipelineDescription("\(request)", ".download(\(target.wording))")
  }
}
