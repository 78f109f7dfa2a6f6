import Foundation
import Freshet
import FreshetModels

#if canImport(CoreData)
import CoreData
#endif

private struct User: PersistableModel {
  static let modelName = "User"
  let id: Int
  var name: String
}

private struct CoreDataModels: ModelStoring {
  let container: NSPersistentContainer

  func save<Model: PersistableModel>(_ models: [Model]) async throws(FreshetError) -> [Model] {
    do {
      var bodies: [String: Data] = [:]
      for model in models {
        bodies["\(Model.modelName)\n\(model.id)"] = try JSONEncoder().encode(model)
      }
      let context = container.newBackgroundContext()
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try await context.perform { [bodies] in
        for (key, body) in bodies {
          let row = NSEntityDescription.insertNewObject(forEntityName: "StoredModel", into: context)
          row.setValue(key, forKey: "key")
          row.setValue(body, forKey: "body")
        }
        try context.save()
      }
      return models
    } catch {
      throw .store(StoreFailure("Core Data could not save: \(error.localizedDescription)"))
    }
  }
}

private func wholeClient(_ container: NSPersistentContainer, _ service: URL) {
  container.viewContext.automaticallyMergesChangesFromParent = true
  let client = Client {
    $0.baseURL = service
    $0.models = CoreDataModels(container: container)
  }
  _ = client
}

private enum CoreDataReading {
  func storedModels<Model: PersistableModel>(
    _ type: Model.Type,
    in context: NSManagedObjectContext
  ) throws -> [Model] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "StoredModel")
    request.predicate = NSPredicate(format: "key BEGINSWITH %@", "\(Model.modelName)\n")
    return try context.fetch(request)
      .map { row in
        let body = row.value(forKey: "body") as? Data ?? Data()
        return try JSONDecoder().decode(type, from: body)
      }
  }
}

private enum CoreDataEntities {
  func update(from models: [some PersistableModel], in context: NSManagedObjectContext) throws {
    guard let users = models as? [User] else { return }
    for user in users {
      let row = NSEntityDescription.insertNewObject(forEntityName: "StoredUser", into: context)
      row.setValue(user.id, forKey: "id")
      row.setValue(user.name, forKey: "name")
    }
  }
}
