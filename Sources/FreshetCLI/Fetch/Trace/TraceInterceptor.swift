import Foundation
import Freshet
import FreshetTesting

/// Reports calls of a transport without a trace: the heads as the client sees them.
struct TraceInterceptor: Interceptor {
  let trace: Trace

  func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer {
    Transfer(request) { [trace] () async throws(FreshetError) in
      trace.take(.requestHead, Self.head(of: request).utf8)
      return next(request)
        .mapEvents { event in
          Self.tell(event, trace)
          return event
        }
    }
  }

  private static func tell(_ event: TransferEvent, _ trace: Trace) {
    switch event {
    case .redirected(let redirect):
      trace.take(.responseHead, head(of: redirect.head).utf8)
      trace.take(.text, "Another request is sent to \(redirect.target.absoluteString)".utf8)
    case .interim(let head), .head(let head):
      trace.take(.responseHead, Self.head(of: head).utf8)
    case .body(let chunk): trace.take(.receivedData, chunk)
    case .waitingForConnectivity: trace.take(.text, "It waits for the network".utf8)
    case .sent, .retrying, .finished: break
    }
  }

  private static func head(of request: Request) -> String {
    let path = request.url.path(percentEncoded: true)
    let query = request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    let host = request.url.host() ?? ""
    let port = request.url.port.map { ":\($0)" } ?? ""
    return lines(
      "\(request.method) \(path.isEmpty ? "/" : path)\(query) HTTP",
      request.headers.merging(["Host": "\(host)\(port)"])
    )
  }

  private static func head(of head: ResponseHead) -> String {
    lines("HTTP \(head.status) \(head.status.phrase)", head.headers)
  }

  private static func lines(_ first: String, _ headers: HTTPHeaders) -> String {
    ([first] + headers.map { "\($0.name): \($0.value)" } + ["", ""]).joined(separator: "\r\n")
  }
}
