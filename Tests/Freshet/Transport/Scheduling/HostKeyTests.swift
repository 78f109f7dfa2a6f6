import Foundation
import Testing

@testable import Freshet

@Suite struct HostKeyTests {
  @Test(arguments: [
    ("http://a.example/x", "http://A.example/y?q#f", true),
    ("http://a.example", "http://a.example?q", true),
    ("http://a.example/", "https://a.example/", false),
    ("http://a.example/", "http://a.example:81/", false),
    ("users/1", "/images/a/b/c", true),
    ("HTTP://a.example", "http://a.example:80/x", true),
    ("https://a.example:/", "https://a.example:0443", true),
    ("https://a.example:80/", "https://a.example/", false),
    ("http://me:8@a.example/", "http://a.example/", true),
    ("http://[::1]/", "http://[::1]:80/", true),
    ("http://[::1]/", "http://[::2]/", false),
    ("http://[0:0::1]/", "http://[::1]/", true),
    ("http://a.example:80", "http://a.example/", true),
    ("app://one/x", "APP://one/y", true),
    ("app://one/", "app://two/", false),
    ("http://a.example/", "http://b.example/", false),
    ("http://a.example/", "http://a.exampl/", false),
    ("http://a.example:8080/", "http://a.example:808/", false),
    ("http://me:8@a.example:80/x@y:z", "http://a.example#f", true),
    ("http://a@b.example/", "http://a.example/", false),
    ("https://a.example/", "http://sa.example:443/", false),
  ])
  func `distinguishes hosts by scheme, host and port`(
    left: String,
    right: String,
    areSame: Bool
  ) throws {
    let keys = try [left, right].map { HostKey(try #require(URL(string: $0))) }

    #expect((keys[0] == keys[1]) == areSame)
  }
}
