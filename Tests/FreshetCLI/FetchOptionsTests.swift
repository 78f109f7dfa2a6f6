import Foundation
import Freshet
import Testing

@testable import FreshetCLI

@Suite struct FetchOptionsTests {
  @Test func `reads every option`() throws {
    let digest = String(repeating: "ab", count: 32)

    let options = try FetchOptions([
      "--store", "cache", "--json", "--policy", "after:1.5", "--revalidate", "head", "--stale",
      "--offline", "--sha256", digest, "--header", "Accept: text/html", "--header", "X-A:1",
      "--output", "page.html", "https://example.org/",
    ])

    #expect(options.store?.lastPathComponent == "cache")
    #expect(options.format == .json)
    #expect(options.policy.expiry == .after(.milliseconds(1_500)))
    #expect(options.policy.revalidation == .head)
    #expect(options.policy.stale == .beforeValidation)
    #expect(options.policy.network == .forbidden)
    #expect(options.policy.expected == SHA256Digest(hex: digest).map { .sha256($0) })
    #expect(options.headers == [.accept: "text/html", "X-A": "1"])
    #expect(options.output?.lastPathComponent == "page.html")
    #expect(options.urls == ["https://example.org/"])
  }

  @Test func `takes options after URLs, and URLs that look like options after two hyphens`() throws
  {
    let options = try FetchOptions(["https://a.example/", "--json", "--", "--b"])

    #expect(options.format == .json)
    #expect(options.urls == ["https://a.example/", "--b"])
  }

  @Test func `takes values that follow a sign or a letter`() throws {
    let options = try FetchOptions([
      "-XPOST", "-HA: b", "--store=--x", "-d-1", "-d", "--2", "-o-", "https://example.org/",
    ])

    #expect(options.method == .post)
    #expect(options.headers == ["A": "b"])
    #expect(options.store?.lastPathComponent == "--x")
    #expect(options.data == [.text("-1"), .text("--2")])
    #expect(options.output == nil)
  }

  @Test(arguments: [
    ([], "URL"),
    (["--nonsense", "u"], "--nonsense"),
    (["u", "--policy"], "--policy needs a value"),
    (["--policy", "sometimes", "u"], "after:SECONDS"),
    (["--policy", "after:-1", "u"], "after:SECONDS"),
    (["--policy", "after:soon", "u"], "after:SECONDS"),
    (["--revalidate", "maybe", "u"], "conditional"),
    (["--sha256", "12", "u"], "64"),
    (["--header", "no colon", "u"], "Name: value"),
    (["--header", ": value", "u"], "Name: value"),
    (["--output", "file", "u", "v"], "--output"),
    (["--store", "--json", "u"], "--store needs a value"),
    (["--store", "", "u"], "--store needs a value"),
    (["--store=", "u"], "--store needs a value"),
    (["-o", "-v", "u"], "./-v"),
    (["--json=yes", "u"], "--json takes no value"),
    (["--output", "-", "--json", "u"], "--output - and --json"),
    (["-sS", "u"], "no option '-sS'"),
  ])
  func `says what is wrong with the arguments`(arguments: [String], hint: String) {
    let error = #expect(throws: UsageError.self) { try FetchOptions(arguments) }

    #expect(error?.message.contains(hint) == true)
  }
}
