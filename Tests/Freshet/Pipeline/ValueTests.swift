import Freshet
import Testing

@Suite struct ValueTests {
  @Test func `value is the last value`() async throws {
    let pipeline = EventScript(.value(1), .progress(5), .value(2))

    #expect(try await pipeline.value == 2)
  }

  @Test func `value throws the pipeline's failure even after a value`() async {
    let pipeline = EventScript(.value(1), .failure(.cancelled))

    let error = await #expect(throws: FreshetError.self) { try await pipeline.value }
    #expect(error?.kind == "cancelled")
  }

  @Test func `value of a pipeline without values is an error`() async {
    let pipeline = EventScript(.progress(5))

    let error = await #expect(throws: FreshetError.self) { try await pipeline.value }
    #expect(error?.kind == "noValue")
  }

  @Test func `each read runs the pipeline again`() async throws {
    let pipeline = EventScript(.value(1))

    #expect(try await pipeline.value == 1)
    #expect(try await pipeline.value == 1)
  }

  @Test func `first is the first value and pulls no further`() async throws {
    let pipeline = EventScript(.progress(1), .value(1), .failure(.cancelled))

    #expect(try await pipeline.first == 1)
  }

  @Test func `first of a pipeline without values is an error`() async {
    let pipeline = EventScript(.progress(5))

    let error = await #expect(throws: FreshetError.self) { try await pipeline.first }
    #expect(error?.kind == "noValue")
  }
}
