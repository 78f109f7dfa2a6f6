import Foundation
import Freshet
import Synchronization

/// The heads that came before the last one of each call, those of redirects and interim responses.
///
/// It also has the protocols of error responses, and reports retries.
final class HeadLog: Interceptor {
  private let heads = Mutex<[String: [ResponseHead]]>([:])
  private let versions = Mutex<[String: String]>([:])
  /// A Boolean value that indicates whether protocols are recorded.
  private let recordsVersions: Bool
  /// Is told of what will be tried again.
  private let tell: @Sendable (String) -> Void

  init(recordsVersions: Bool, _ tell: @escaping @Sendable (String) -> Void) {
    self.recordsVersions = recordsVersions
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

  /// Takes the heads of a call that has ended.
  func take(_ request: Request) -> [ResponseHead] {
    heads.withLock { $0.removeValue(forKey: Self.name(request.method, request.url)) ?? [] }
  }

  /// Takes the name of the protocol of a call that has ended, such as `h2`; `nil` if it is not known.
  func takeVersion(_ request: Request) -> String? {
    versions.withLock { $0.removeValue(forKey: Self.name(request.method, request.url)) }
  }

  private func note(_ event: TransferEvent, _ name: String, _ url: URL) {
    switch event {
    case .redirected(let redirect): add(redirect.head, name)
    case .interim(let head): add(head, name)
    case .retrying(_, let pause, let reason):
      // What the attempt had got is of no use.
      heads.withLock { $0[name] = nil }
      let seconds = (pause / .seconds(1)).formatted(.number.precision(.fractionLength(0...2)))
      let shown = SecretRules.standard.redacted(url: url.absoluteString)
      tell("\(shown): \(reason); retrying in \(seconds) s")
    case .finished(let metrics) where recordsVersions:
      versions.withLock { $0[name] = metrics.networkProtocol }
    default: break
    }
  }

  private func add(_ head: ResponseHead, _ name: String) {
    heads.withLock { $0[name, default: []].append(head) }
  }

  private static func name(_ method: HTTPMethod, _ url: URL) -> String {
    "\(method) \(url.absoluteString)"
  }
}
