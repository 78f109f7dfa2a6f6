import Foundation
import Testing

@testable import Freshet

@Suite struct URLOriginTests {
  @Test(
    arguments: [
      ("https://a.org/x", "https://a.org:443/y", true), ("http://a.org", "HTTP://A.ORG:80/", true),
      ("https://a.org:/", "https://a.org/", true), ("https://[::1]:8/", "https://[::1]:8/?q", true),
      ("https://exämple.org/", "https://xn--exmple-cua.org/", true),
      ("https://u:p@a.org/", "https://a.org/", true),
      ("wss://a.org/x", "https://a.org/", true), ("WS://a.org/", "http://a.org:80/", true),
      ("wss://a.org/", "ws://a.org/", false), ("ws://a.org/", "https://a.org/", false),
      ("https://a.org/", "http://a.org/", false), ("http://a.org/", "http://a.org:443/", false),
      ("http://a.org/", "http://b.org/", false), ("http://a.org/", "http://a.org.b.org/", false),
      ("http://a.org/", "http://a.org@b.org/", false), ("http://a.org/", "/", false),
      ("mailto:a@b", "mailto:a@b", false), ("file:///a", "file:///a", false),
    ]
  )
  func `compares scheme, host and effective port`(
    left: String,
    right: String,
    isSame: Bool
  ) throws {
    let left = try #require(URL(string: left))
    let right = try #require(URL(string: right))

    #expect(left.hasSameOrigin(as: right) == isSame)
  }
}
