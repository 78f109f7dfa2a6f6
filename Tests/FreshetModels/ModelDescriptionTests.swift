import Freshet
import FreshetModels
import Testing

/// What `print` shows of pipelines with models.
@Suite struct ModelDescriptionTests {
  @Test func `models print the query without its values`() throws {
    let models = ModelStore.temporary()
    let request = try Request("https://a.example/logo.png")
    let query = ModelQuery(Thing.self).where(\.name, is: "hunter2")
      .sorted(by: \.name, .descending)
      .limit(5)
    let call = Client { $0.transport = DefaultTransport() }.send(request).decode(Thing.self)
    let text =
      "ModelQuery(Thing).where(name, is: …).sorted(by: name, .descending).limit(5)"

    #expect("\(models.scan(query))" == "models\n  .scan(\(text))")
    #expect("\(models.observe(query))" == "models\n  .observe(\(text))")
    #expect("\(models.observe(Thing.self, id: 7))" == "models\n  .observe(Thing, id: …)")
    #expect("\(call.persist(in: models))".hasSuffix("\n  .persist(in: models)"))
    #expect(
      "\(models.live(query, refresh: .ifMissing, by: call))" == """
        models
          .live(\(text), refresh: .ifMissing) {
            GET https://a.example/logo.png
              .send(over: network)
              .decode(Thing)
          }
        """
    )
  }

  @Test func `a live value prints its state and its value`() {
    let live = LiveValue<[Int], FreshetError>(value: [1, 2], state: .fresh)

    #expect("\(live)" == "fresh: [1, 2]")
    #expect(
      "\(LiveValue<Int?, FreshetError>(value: nil, state: .failed(.cancelled)))"
        == "failed (The request was cancelled.): nil"
    )
  }

  @Test func `no identity is printed`() {
    let observation = ModelStore.temporary().observe(Secret.self, id: "hunter2")

    #expect(!"\(observation)".contains("hunter2"))
    #expect(!String(reflecting: observation).contains("hunter2"))
  }
}

private struct Thing: PersistableModel {
  static let modelName = "Thing"
  static let indexes = [ModelIndex(\Thing.name, "name")]
  var id: Int
  var name: String
}

private struct Secret: PersistableModel {
  static let modelName = "Secret"
  var id: String
}
