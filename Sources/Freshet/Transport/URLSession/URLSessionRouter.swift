#if canImport(Darwin)
import FreshetEssentials
import Synchronization

/// The delegate of the session, which forwards the callbacks to each task's exchange.
final class URLSessionRouter: NSObject, URLSessionDataDelegate, URLSessionWebSocketDelegate {
  private let exchanges = Mutex<[Int: URLSessionExchange]>([:])
  private let challenges = DispatchQueue(label: "freshet.challenges", attributes: .concurrent)

  func add(_ exchange: URLSessionExchange, for task: Int) {
    exchanges.withLock { $0[task] = exchange }
  }

  private func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // The transfer follows redirects itself.
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) ->
      Void
  ) {
    let exchange = exchange(task)
    // The evaluation of a server takes time, in which other transfers shall go on.
    challenges.async {
      let (disposition, credential) =
        exchange?.answer(to: challenge) ?? (.performDefaultHandling, nil)
      completionHandler(disposition, credential)
    }
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(exchange(task)?.bodyStream())
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(task)?.sent(totalBytesSent)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    exchange(task)?.received(interim: response)
  }

  func urlSession(
    _ session: URLSession,
    dataTask: URLSessionDataTask,
    didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    let isWanted = exchange(dataTask)?.received(response) ?? false
    completionHandler(isWanted ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(dataTask)?.received(data, of: dataTask)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    exchange(task)?.collected(metrics, of: task)
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didCompleteWithError error: (any Error)?
  ) {
    let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    exchange?.completed(error, refusal: task.response as? HTTPURLResponse)
  }

  func urlSession(
    _ session: URLSession,
    webSocketTask: URLSessionWebSocketTask,
    didOpenWithProtocol protocol: String?
  ) {
    exchange(webSocketTask)?.opened(webSocketTask, protocol: `protocol`)
  }

  func urlSession(
    _ session: URLSession,
    webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
    reason: Data?
  ) {
    exchange(webSocketTask)?.closed(closeCode, reason: reason)
  }
}
#endif
