import Foundation
import TestSupport
import Testing

@Suite struct PlaygroundTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent()
    .appending(path: "../../Playgrounds/Freshet.playground")
    .standardized

  private static let pages: [URL] = {
    let pages = try? FileManager.default.contentsOfDirectory(
      at: folder.appending(path: "Pages"),
      includingPropertiesForKeys: nil
    )
    return (pages ?? []).sorted { $0.lastPathComponent < $1.lastPathComponent }
  }()

  @Test func `the playground lists all pages in their order`() throws {
    let contents = try String(
      contentsOf: Self.folder.appending(path: "contents.xcplayground"),
      encoding: .utf8
    )
    let listed = contents.matches(of: /page name="([^"]+)"/).map { String($0.output.1) }

    #expect(listed.count >= 15)
    #expect(listed == Self.pages.map { $0.deletingPathExtension().lastPathComponent })
  }

  @Test(arguments: pages)
  func `a page is short and leads to the next one`(page: URL) throws {
    let text = try String(contentsOf: page.appending(path: "Contents.swift"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()

    #expect(20...60 ~= lines.count)
    #expect(text.hasPrefix("//: # "))
    #expect((lines.last == "//: [Next](@next)") == (page != Self.pages.last))
  }

  @Test(arguments: [
    ("FirstFetch", ["value 200 network fresh", "again memory 300000 bytes", "promised memory"]),
    (
      "StaleThenFresh",
      [
        "first: rain - network fresh last", "second: rain - memory stale for now",
        "second: rain - memory revalidated last", "third: rain - memory stale for now",
        "third: snow - network fresh last", "first: stale - value: revalidated",
        "offline: snow - memory stale for now", "offline: snow - memory stale last",
      ]
    ),
    (
      "PromiseStyle",
      [
        "sent 0", "awaited Aare", "promised Aare Aare", "sent 2", "both Aare 288",
        "shared true sent 5", "no lake: status 404",
      ]
    ),
    (
      "ExplainingAResult",
      [
        "  .lookup(in: memory)", "  .checkExpiry(.after(60 s))", "  .download(over: network)",
        "  .settle()", "first:", "memory: miss", "memory: stored", "second:", "memory: hit",
        "from memory: true", "downloaded again: false", "error: status", "memory: miss",
      ]
    ),
    ("YourOwnStage", ["downloaded 9 bytes", "A freshet from network", "A freshet from memory"]),
    (
      "RandomUser",
      [
        "Lea lives in Bern", "asked for seed=a%20b%2Fc&inc=name&inc=location", "version 1.4",
        "just Lea",
      ]
    ),
    (
      "TwitterClient",
      ["Ann: Hello", "Bob: Hi", "rejected 404 User not found."]
    ),
    (
      "Envelope",
      [
        #"posts ["one", "two"]"#, "more true", "first one 9", "none true",
        "rejected Log in first",
      ]
    ),
    (
      "GitHubRoutes",
      [
        "user octocat - org Swift", "issues [1, 2]",
        "A Organization was requested, but the route “users/*” returns a Account.",
        "rejected: Not Found",
      ]
    ),
    (
      "Routes",
      [
        "users/me → users/me", "users/7 → users/#", "users/ann → users/*",
        "users/me/posts → users/*/posts", "a/b/c → **", "hello 3 true",
      ]
    ),
    (
      "DemoMode",
      [
        #"demo ["Rome", "Oslo"] requests 0"#, "demo failed with 503 closed for lunch",
        #"live ["Paris"] requests 1"#,
      ]
    ),
    (
      "RecordAndReplay",
      [
        "recorded 2 exchanges: Aare", "holds the secret: false", "replayed Aare", "replayed 404",
        "unknown: invalidRequest",
      ]
    ),
    (
      "Images",
      [
        "placeholder", "image 2×1 appeared", "preview 2×1", "image 2×1 unchanged", "preview 2×1",
        "image 3×1 replaced", "processed 1×1", "placeholder",
      ]
    ),
    (
      "ModelsOnScreen",
      [
        "first launch: asking []", #"first launch: fresh ["Orbe (Ada)", "Loue (Ada)"]"#,
        #"second launch: fresh ["Loue (Ada)"]"#, "renamed: Grace",
        #"next launch: asking ["Loue (Grace)"]"#, #"next launch: no answer ["Loue (Grace)"]"#,
      ]
    ),
    (
      "Batches",
      [
        "plan 6 items 14000 bytes 1 fresh", #"unknown ["none"]"#, "failed none status",
        "done 5 bytes 14000", "never fell: true - ends at 1.0", "a hundred readers, 1 request",
      ]
    ),
    (
      "BytesByRange",
      [
        "length 40000000", "end is right: true",
        #"requests ["bytes=0-262143", "bytes=39845888-39999999"]"#, "streamed 599900",
        "later true 0 requests",
      ]
    ),
    (
      "ResumableUploads",
      [
        "broken: true", "the server has 600000", "status 201 inherited 600000", "same bytes: true",
        #"requests ["PUT", "HEAD", "PATCH"]"#,
      ]
    ),
    (
      "WritingOffline",
      ["Doubs pending", "Doubs confirmed", "requests 2 keys 1", "refused 1 again Doubs"]
    ),
    (
      "WebSockets",
      [
        "received hello", "received 3 bytes by echo.v1", "after the close: true 1000", "connecting",
        "broken: connection", "connecting",
        "received well, at last", "closed: 1000 bye",
      ]
    ),
    (
      "DuplexStreams",
      [
        "requests 0", "freshet becomes FRESHET", "spate becomes SPATE", "over: true 200",
        "reader: connection", "writer: connection",
      ]
    ),
    (
      "WhenTheNetworkFails",
      [
        "sent while offline: 0", "online: the news", "instead: the mirror's news",
        "first: early news of 2",
      ]
    ),
  ])
  func `a page runs offline and prints its lesson`(page: String, lines: [String]) async throws {
    let run = try await ProgramRun(Program.built(page), [])

    #expect(run.status == 0)
    #expect(run.lines.filter(lines.contains) == lines)
    #expect(!run.text.contains("failed:"))
  }
}
