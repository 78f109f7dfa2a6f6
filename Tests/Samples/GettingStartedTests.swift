import Testing

/// The first program does what its article says.
@Suite struct GettingStartedTests {
  @Test func `prints what the article shows`() async throws {
    let shown = try Printed.lines(inArticle: "GettingStarted")

    let printed = try await Printed.lines { try await gettingStarted() }

    #expect(printed == shown)
  }
}
