#if !canImport(Darwin)
import Foundation
import Testing

@testable import Freshet

@Suite struct CurlURLTests {
  @Test(arguments: [("http://a.example", false), ("https://a.example/", true), ("HTTPS://a", true)])
  func `the scheme decides whether a URL is secure`(text: String, isSecure: Bool) throws {
    let url = CurlURL(try #require(URL(string: text)))

    #expect(url.isSecure == isSecure)
    #expect(url.problem == nil)
  }

  @Test(arguments: ["a.example", "other://a.example/", "http://a.example:70000/"])
  func `a URL that libcurl does not accept has a problem`(text: String) throws {
    let url = CurlURL(try #require(URL(string: text)))

    #expect(url.problem != nil)
  }
}
#endif
