import Freshet
import FreshetModels
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct ModelCancellationTests {
  @Test func `a cancelled scan fails once`() async throws {
    let models = ModelStore.inMemory()
    try await models.save(Person.sample(1))

    #expect(await CancelledReading.failures(of: models.scan(ModelQuery(Person.self))) == 1)
  }

  @Test func `a cancelled observation fails once`() async {
    let models = ModelStore.inMemory()

    #expect(await CancelledReading.failures(of: models.observe(ModelQuery(Person.self))) == 1)
    #expect(await CancelledReading.failures(of: models.observe(Person.self, id: 1)) == 1)
  }

  @Test func `a cancelled live value fails once`() async {
    let models = ModelStore.inMemory()
    let script = ResponseScript(.body([Person.sample(1)]))

    #expect(
      await CancelledReading.failures(of: models.live(ModelQuery(Person.self), by: script)) == 1
    )
  }
}
