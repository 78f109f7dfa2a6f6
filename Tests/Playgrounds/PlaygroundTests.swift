import TestSupport
import Testing

@Suite struct PlaygroundTests {
  @Test(arguments: [
    ("FirstFetch", ["value 200 network fresh", "again memory 300000 bytes", "promised memory"]),
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
      ["Ann: Hello", "Bob: Hi", "rejected 404 User not found.", "routed 2 tweets"]
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
        "A Organization was asked for, and the route “users/*” makes a Account.",
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
        #"live ["Paris"] requests 1"#, "again 2 requests 1",
      ]
    ),
    (
      "RecordAndReplay",
      [
        "recorded 2 exchanges: Aare", "holds the secret: false", "replayed Aare", "replayed 404",
        "unknown: notStored",
      ]
    ),
    (
      "ModelsOnScreen",
      [
        "first launch: nothing", "first launch: up to date", "second launch: Loue (Ada)",
        "second launch: up to date", "renamed: Grace, Grace",
        "without a network: Doubs (Grace), Loue (Grace)",
        "without a network: Doubs (Grace), Loue (Grace)", "without a network: no answer",
      ]
    ),
    (
      "Batches",
      [
        "plan 6 items 14000 bytes 1 fresh", #"unknown ["none"]"#, "failed none status",
        "done 5 bytes 14000", "never fell: true - ends at 1.0", "a hundred readers, 1 request",
      ]
    ),
  ])
  func `a page runs offline and prints what it teaches`(page: String, lines: [String]) async throws
  {
    let run = try await ProgramRun(Program.built(page), [])

    #expect(run.status == 0)
    #expect(run.lines.filter(lines.contains) == lines)
    #expect(!run.text.contains("failed:"))
  }
}
