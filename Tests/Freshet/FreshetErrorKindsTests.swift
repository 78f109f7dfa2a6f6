import Foundation
import Freshet
import Testing

@Suite struct FreshetErrorKindsTests {
  private static func status(_ status: HTTPStatus) throws -> FreshetError {
    let url = try #require(URL(string: "http://a.test/"))
    return .status(ResponseHead(status: status, headers: [:], url: url), body: Data())
  }

  @Test func `cancelled is only cancelled`() {
    #expect(FreshetError.cancelled.isCancelled)
    #expect(!FreshetError.noValue.isCancelled)
    #expect(!FreshetError.cancelled.isTransient)
    #expect(!FreshetError.cancelled.isOffline)
  }

  @Test(arguments: [
    (FreshetError.connection(.unknownHost, url: ""), true), (.connection(.refused, url: ""), true),
    (.connection(.proxy, url: ""), true), (.timedOut(.connect, url: ""), true),
    (.connection(.lost, url: ""), false), (.timedOut(.idle, url: ""), false),
    (.notStored(url: ""), false),
  ])
  func `offline is a request that reached no server`(error: FreshetError, isOffline: Bool) {
    #expect(error.isOffline == isOffline)
    #expect(CallError<NoErrorModel>.failed(error).isOffline == isOffline)
  }

  @Test func `transient is an error that a retry may solve`() throws {
    for error in [
      FreshetError.connection(.lost, url: ""), .timedOut(.idle, url: ""), try Self.status(503),
      try Self.status(429),
    ] {
      #expect(error.isTransient)
      #expect(CallError<NoErrorModel>.failed(error).isTransient)
    }
    for error in [
      FreshetError.timedOut(.total, url: ""), .invalidRequest("", url: ""), try Self.status(404),
      try Self.status(501),
    ] {
      #expect(!error.isTransient)
    }
  }
}
