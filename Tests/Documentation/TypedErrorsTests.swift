import Testing

/// Errors keep their type where samples are pasted: in closures.
@Suite struct TypedErrorsTests {
  @Test(arguments: DocumentationTests.samples.filter(Self.readsItsError))
  func `a sample that reads its error names the type`(sample: DocumentationTests.Sample) {
    #expect(sample.lines.contains { $0.hasPrefix("do throws(") })
  }

  @Test func `there are such samples`() {
    #expect(DocumentationTests.samples.count(where: Self.readsItsError) >= 4)
  }

  private static func readsItsError(_ sample: DocumentationTests.Sample) -> Bool {
    guard let start = sample.lines.firstIndex(where: { $0.hasPrefix("} catch") }) else {
      return false
    }
    return sample.lines[start...]
      .contains { line in
        line.hasPrefix("} catch .") || line.hasPrefix("switch error {")
          // Any error has this one.
          || line.contains("error.") && !line.contains("error.localizedDescription")
      }
  }

  #if !canImport(Darwin)
  private static let calls = [
    ("FreshetError", "try await client.resource(at: url).value", "case .notStored: return"),
    ("FreshetError", "try await client.send(Request(url)).value", "case .notStored: return"),
    (
      "CallError<Fault>", "try await client.call(ShowUser()).output",
      "case .rejected(let rejection): print(rejection.model?.message ?? \"\")"
    ),
  ]

  private static func pieces(named: Bool) -> [String] {
    calls.map { type, call, reading in
      """
      Task {
        do \(named ? "throws(\(type)) " : ""){
          _ = \(call)
        } catch {
          switch error {
          \(reading)
          default: return
          }
        }
      }
      """
    }
  }

  @Test func `with the type's name, a closure knows the cases of each error`() async throws {
    for errors in try await TypeCheck.errors(of: Self.pieces(named: true)) {
      #expect(errors == [])
    }
  }

  @Test func `without it, the compiler still does not`() async throws {
    for errors in try await TypeCheck.errors(of: Self.pieces(named: false)) {
      #expect(errors != [])
    }
  }
  #endif
}
