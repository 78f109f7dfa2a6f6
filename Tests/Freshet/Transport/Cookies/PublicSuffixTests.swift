import Foundation
import FreshetTesting
import Synchronization
import Testing

@testable import Freshet

@Suite struct PublicSuffixTests {
  private static let list = PublicSuffixList(date: .distantPast) {
    ["com", "github.io", "co.uk"].contains($0)
  }

  @Test(arguments: [
    // With a list, without one.
    ("com", true, true), ("com.", true, true), ("co.uk", true, true), ("co.uk.", true, true),
    ("github.io", true, false), ("github.io.", true, false), ("a.github.io", false, false),
    ("com.au", false, true), ("org", false, true), ("example.com", false, false),
  ])
  func `a list decides if there is one, and the built-in rule otherwise`(
    domain: String,
    isListed: Bool,
    isUsual: Bool
  ) {
    #expect(CookieJar.isPublicSuffix(domain, by: Self.list) == isListed)
    #expect(CookieJar.isPublicSuffix(domain, by: nil) == isUsual)
  }

  @Test(arguments: [
    ("evil.github.io", "github.io"), ("evil.github.io.", "github.io."), ("evil.com.", "com."),
  ])
  func `no cookie is set for a suffix of the list, with or without a trailing dot`(
    host: String,
    domain: String
  ) throws {
    let jar = CookieJar(isPublicSuffix: { CookieJar.isPublicSuffix($0, by: Self.list) })
    let url = try #require(URL(string: "https://\(host)/"))

    jar.store(
      from: ResponseHead(status: 200, headers: [.setCookie: "a=1; Domain=\(domain)"], url: url)
    )

    #expect(jar.cookies.isEmpty)
  }

  @Test func `the closure gets the domain without a trailing dot`() throws {
    let seen = Mutex<[String]>([])
    let jar = CookieJar(isPublicSuffix: { domain in
      seen.withLock { $0.append(domain) }
      return domain == "co.test"
    })
    let url = try #require(URL(string: "https://a.co.test./"))

    jar.store(
      from: ResponseHead(status: 200, headers: [.setCookie: "a=1; Domain=co.test."], url: url)
    )

    #expect(seen.withLock { $0 } == ["co.test"])
    #expect(jar.cookies.isEmpty)
  }

  #if !canImport(Darwin)
  @Test(
    .enabled(if: PublicSuffixList.system != nil, "libpsl is not installed"),
    arguments: [
      ("com", true), ("co.uk", true), ("github.io", true), ("a.kawasaki.jp", true),
      ("city.kawasaki.jp", false), ("xn--p1ai", true), ("nothing-registered", true),
      ("example.com", false), ("a.github.io", false), ("www.ck", false),
    ]
  )
  func `the system's list has the suffixes that strangers share`(
    domain: String,
    isSuffix: Bool
  ) throws {
    #expect(CookieJar.isPublicSuffix(domain) == isSuffix)
    #expect(CookieJar.isPublicSuffix(domain + ".") == isSuffix)
  }

  @Test(.enabled(if: PublicSuffixList.system != nil, "libpsl is not installed"))
  func `a jar uses the system's list by default`() throws {
    let jar = CookieJar()
    let url = try #require(URL(string: "https://evil.github.io/"))

    jar.store(
      from: ResponseHead(status: 200, headers: [.setCookie: "a=1; Domain=github.io"], url: url)
    )

    #expect(jar.cookies.isEmpty)
  }

  @Test(.enabled(if: PublicSuffixList.system != nil, "libpsl is not installed"))
  func `the system's list has a date`() throws {
    let date = try #require(CookieJar.publicSuffixListDate)

    #expect(date > Date(timeIntervalSince1970: 1_400_000_000) && date < Date())
  }
  #endif
}
