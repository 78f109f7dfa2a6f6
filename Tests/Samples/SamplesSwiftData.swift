import Foundation
import Freshet
import FreshetModels

#if canImport(SwiftData)
import SwiftData
#endif

private struct User: PersistableModel {
  static let modelName = "User"
  let id: Int
  var name: String
}

#if canImport(SwiftData)
@Model
#endif
final class StoredModel {
  #if canImport(SwiftData)
  @Attribute(.unique)
  #endif
  var key: String
  var body: Data

  init(key: String, body: Data) {
    self.key = key
    self.body = body
  }
}

#if canImport(SwiftData)
@ModelActor
#endif
actor SwiftDataModels: ModelStoring {
  func save<Model: PersistableModel>(_ models: [Model]) async throws(FreshetError) -> [Model] {
    do {
      for model in models {
        let body = try JSONEncoder().encode(model)
        modelContext.insert(StoredModel(key: "\(Model.modelName)\n\(model.id)", body: body))
      }
      try modelContext.save()
      return models
    } catch {
      modelContext.rollback()
      throw .store(StoreFailure("SwiftData could not save: \(error.localizedDescription)"))
    }
  }
}

#if canImport(SwiftData)
@Model
#endif
final class StoredUser {
  var id: Int
  var name: String

  init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}

#if !canImport(SwiftData)
// What the macros add.
extension StoredModel: PersistentModel {}
extension StoredUser: PersistentModel {}
extension SwiftDataModels {
  init(modelContainer: ModelContainer) { self.init() }
  nonisolated var modelContext: ModelContext { ModelContext(ModelContainer()) }
}
#endif

private func wholeClient(_ container: ModelContainer, _ service: URL) {
  let client = Client {
    $0.baseURL = service
    $0.models = SwiftDataModels(modelContainer: container)
  }
  _ = client
}

private enum SwiftDataClasses {
  func insert(_ models: [some PersistableModel], into context: ModelContext) {
    guard let users = models as? [User] else { return }
    for user in users { context.insert(StoredUser(id: user.id, name: user.name)) }
  }
}
