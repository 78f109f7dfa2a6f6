import Foundation
import Freshet

/// A transfer read to its end.
struct Answer {
  var head: ResponseHead?
  var body = Data()
  var metrics: TransferMetrics?
  var sent: [TransferProgress] = []
  var redirects: [Redirect] = []
  var interim: [ResponseHead] = []
  var error: FreshetError?

  var text: String { String(decoding: body, as: UTF8.self) }
}

extension Transport {
  /// Reads a transfer to its end, whatever that is.
  func answer(_ request: Request) async -> Answer {
    var answer = Answer()
    do throws(FreshetError) {
      for try await event in send(request) {
        switch event {
        case .sent(let progress): answer.sent.append(progress)
        case .redirected(let redirect): answer.redirects.append(redirect)
        case .retrying, .waitingForConnectivity: break
        case .interim(let head): answer.interim.append(head)
        case .head(let head): answer.head = head
        case .body(let data): answer.body += data
        case .finished(let metrics): answer.metrics = metrics
        }
      }
    } catch {
      answer.error = error
    }
    return answer
  }
}
