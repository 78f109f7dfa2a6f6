import Foundation
import Freshet
import Testing

@Suite struct FreshetErrorTests {
  static let url = "https://user:s3cret@a.org/x?token=s3cret#s3cret"
  static let head = ResponseHead(
    status: 404,
    headers: [.setCookie: "id=s3cret"],
    url: URL(string: url) ?? URL(filePath: "/")
  )

  static let errors: [(FreshetError, String)] = [
    (
      .invalidRequest("its method is not a token", url: url),
      "The request for https://a.org/x is not valid: its method is not a token."
    ),
    (.cancelled, "The request was cancelled."),
    (
      .connection(.unknownHost, url: url),
      "The host name could not be resolved for https://a.org/x; check the name and the network."
    ),
    (
      .connection(.refused, url: url),
      "The connection for https://a.org/x was refused; check the port and that the server runs."
    ),
    (
      .connection(.lost, url: url),
      "The connection for https://a.org/x was lost before the response was complete; try again."
    ),
    (
      .connection(.truncated, url: url),
      "The body for https://a.org/x broke off before its end; try again."
    ),
    (
      .connection(.proxy, url: url),
      "The proxy for https://a.org/x does not answer or refused the connection; check its settings."
    ),
    (
      .connection(.other("no route"), url: url),
      "The connection for https://a.org/x failed: no route."
    ),
    (
      .insecure("the certificate has expired", url: url),
      "The connection for https://a.org/x is not secure: the certificate has expired."
    ),
    (
      .timedOut(.connect, url: url),
      "The request for https://a.org/x timed out: no connection was made within timeouts.connect; try again, or raise the timeout."
    ),
    (
      .timedOut(.keepAlive, url: url),
      "The request for https://a.org/x timed out: "
        + "no bytes arrived within keepAlive.timeout after a ping of the socket; try again, or raise the timeout."
    ),
    (
      .invalidResponse("it has no status line", url: url),
      "The response from https://a.org/x is not valid: it has no status line."
    ),
    (
      .limitExceeded(.headerCount(1_000), url: url),
      "The response from https://a.org/x is too large: "
        + "it has more than 1000 header fields; limits.headerCount can be raised."
    ),
    (
      .redirect("there were more than 10", head: head),
      "The redirect from https://a.org/x was not followed: there were more than 10."
    ),
    (
      .status(head, body: Data("s3cret".utf8)),
      "The server answered the request for https://a.org/x with status 404."
    ),
    (
      .status(
        ResponseHead(status: 503, headers: [.retryAfter: "90"], url: head.url),
        body: Data()
      ),
      "The server answered the request for https://a.org/x with status 503, and asks to wait 90 s."
    ),
    (
      .corrupted(expected: "ab", actual: "cd", url: url),
      "The body from https://a.org/x is not the expected one: cd instead of ab; fetch it again."
    ),
    (
      .notStored(url: url),
      "Nothing is stored for https://a.org/x, and no request is allowed; fetch it while the network may be used."
    ),
    (
      .file("no space is left", path: "/tmp/x"),
      "The file /tmp/x could not be used: no space is left."
    ),
    (.store("the disk is full"), "The store failed: the disk is full."),
    (.noValue, "The pipeline ended without a value."),
  ]

  @Test(arguments: ["it ends so.", "it ends so...", "it ends so"])
  func `a sentence ends with one full stop`(reason: String) {
    let error = FreshetError.insecure(reason, url: "https://a.example/")

    #expect(error.description == "The connection for https://a.example/ is not secure: it ends so.")
  }

  @Test(arguments: errors)
  func `describes itself in one sentence without secrets`(error: FreshetError, sentence: String) {
    #expect(error.description == sentence)
    #expect(error.localizedDescription == sentence)
    #expect("\(error)" == sentence)
  }

  @Test(arguments: [FreshetError.TimeoutPhase.firstByte, .idle, .total])
  func `names the timeout to change`(phase: FreshetError.TimeoutPhase) {
    let error = FreshetError.timedOut(phase, url: "https://a.org/")

    #expect(error.description.contains("timeouts.\(phase.rawValue)"))
    #expect(error.description.contains("deadline") == (phase == .total))
  }

  @Test(
    arguments: [
      (FreshetError.Limit.headerBytes(1), "limits.headerBytes"),
      (.bodyBytes(2), "limits.bodyBytes"), (.decompressionRatio(3), "limits.decompressionRatio"),
      (.lineBytes(4), "reconnection.limit"),
    ]
  )
  func `names the limit to change`(limit: FreshetError.Limit, name: String) {
    #expect(FreshetError.limitExceeded(limit, url: "").description.contains(name))
  }

  @Test func `keeps the head but does not show it`() {
    #expect(FreshetError.status(Self.head, body: Data()).head == Self.head)
    #expect(FreshetError.cancelled.head == nil)
  }

  @Test func `is equal to the same failure`() {
    #expect(FreshetError.notStored(url: "a") == .notStored(url: "a"))
    #expect(FreshetError.notStored(url: "a") != .notStored(url: "b"))
  }
}
