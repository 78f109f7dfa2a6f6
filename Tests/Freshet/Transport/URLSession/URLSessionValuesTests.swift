#if canImport(Darwin)
import Foundation
import Testing

@testable import Freshet

@Suite struct URLSessionValuesTests {
  private static let codes: [URLError.Code] = [
    .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive,
  ]

  @Test(arguments: codes)
  func `a request that finds no network has reached no server`(code: URLError.Code) {
    #expect(FreshetError(URLError(code), isUnsent: true, url: "").isOffline)
  }

  @Test(arguments: codes)
  func `a request that loses its network may have reached a server`(code: URLError.Code) {
    let error = FreshetError(URLError(code), isUnsent: false, url: "")

    #expect(!error.isOffline)
    #expect(error.isTransient)
  }

  @Test func `a range is one of the bytes without a coding`() throws {
    var request = try Request("https://a.test/")
    request.headers[.range] = "bytes=5-"

    let message = request.message(userAgent: "")

    #expect(message.value(forHTTPHeaderField: "Accept-Encoding") == "identity")
  }

  @Test func `bytes without a media type are not called a form`() throws {
    let url = try #require(URL(string: "https://a.test/"))
    let request = Request(.post, url, body: .bytes(Data("a=b".utf8)))

    let message = request.message(userAgent: "")

    #expect(message.value(forHTTPHeaderField: "Content-Type") == "application/octet-stream")
  }

  @Test(arguments: [.ECONNRESET, .ECONNABORTED, .ENOTCONN, .EPIPE] as [POSIXErrorCode])
  func `an error of the socket is a lost connection`(code: POSIXErrorCode) {
    let error = FreshetError(POSIXError(code), isUnsent: false, url: "")

    #expect(error == .connection(.lost, url: ""))
  }

  @Test func `a GET has no body`() throws {
    let url = try #require(URL(string: "https://a.test/"))

    #expect(Request(.get, url, body: .text("a")).sessionProblem != nil)
    #expect(Request(.get, url, body: .text("")).sessionProblem == nil)
    #expect(Request(.get, url, body: .text("")).message(userAgent: "").httpBody == nil)
  }
}
#endif
