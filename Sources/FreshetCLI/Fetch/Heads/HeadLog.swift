import Foundation
import Freshet
import Synchronization

/// The heads that came before the last one of each call, those of redirects and interim responses.
///
/// It also has the protocols of error responses, and reports retries.
final class HeadLog: Interceptor {
  /// The heads and the protocol of a call.
  struct Entry {
    var heads: [ResponseHead] = []
    /// The name of the protocol, such as `h2`; `nil` if it is not known.
    var version: String?
  }

  private let entries = Mutex<[String: Entry]>([:])
  /// A Boolean value that indicates whether heads and protocols are recorded.
  private let isRecording: Bool
  /// Is told of what will be tried again.
  private let tell: @Sendable (String) -> Void

  init(isRecording: Bool, _ tell: @escaping @Sendable (String) -> Void) {
    self.isRecording = isRecording
    self.tell = tell
  }

  func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer {
    let name = Self.name(request.method, request.url)
    return next(request)
      .mapEvents { [self] event in
        note(event, name, request.url)
        return event
      }
  }

  /// Takes the heads and the protocol of a call that has ended.
  func take(_ request: Request) -> Entry {
    let name = Self.name(request.method, request.url)
    return entries.withLock { $0.removeValue(forKey: name) } ?? Entry()
  }

  /// Forgets the calls of a plan.
  func removeAll() {
    entries.withLock { $0.removeAll() }
  }

  private func note(_ event: TransferEvent, _ name: String, _ url: URL) {
    if case .retrying(_, let pause, let reason) = event {
      let seconds = (pause / .seconds(1)).formatted(.number.precision(.fractionLength(0...2)))
      let shown = SecretRules.standard.redacted(url: url.absoluteString)
      tell("\(shown): \(reason); retrying in \(seconds) s")
    }
    guard isRecording else { return }
    entries.withLock { entries in
      switch event {
      case .redirected(let redirect): entries[name, default: Entry()].heads.append(redirect.head)
      case .interim(let head): entries[name, default: Entry()].heads.append(head)
      // What the attempt had got is of no use.
      case .retrying: entries[name] = nil
      case .finished(let metrics):
        entries[name, default: Entry()].version = metrics.networkProtocol
      default: break
      }
    }
  }

  private static func name(_ method: HTTPMethod, _ url: URL) -> String {
    "\(method) \(url.absoluteString)"
  }
}
