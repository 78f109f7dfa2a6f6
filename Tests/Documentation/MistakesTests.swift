#if !canImport(Darwin)
import Testing

/// What the compiler says of likely mistakes names what to write.
@Suite struct MistakesTests {
  private static let mistakes = Task { try await TypeCheck.errors(of: Mistake.all.map(\.code)) }
  private static let mends = Task { try await TypeCheck.errors(of: Mistake.all.map(\.mend)) }

  @Test(arguments: Mistake.all.indices)
  func `explains a likely mistake and its correction`(index: Int) async throws {
    let errors = try await Self.mistakes.value[index]

    #expect(errors.contains { $0.contains(Mistake.all[index].message) }, "\(errors)")
    #expect(!errors.contains { $0.contains("failed to produce diagnostic") })
  }

  @Test(arguments: Mistake.all.indices)
  func `the corrected code compiles`(index: Int) async throws {
    #expect(try await Self.mends.value[index] == [])
  }
}
#endif
