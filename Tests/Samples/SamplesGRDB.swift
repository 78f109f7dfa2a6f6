import Foundation
import Freshet
import FreshetModels

#if canImport(GRDB)
import GRDB
#endif

private struct User: PersistableModel {
  static let modelName = "User"
  let id: Int
  var name: String
}

private struct GRDBModels: ModelStoring {
  let database: any DatabaseWriter

  static func createTable(in database: Database) throws {
    try database.execute(
      sql: "CREATE TABLE IF NOT EXISTS model (type TEXT, id TEXT, body BLOB, UNIQUE (type, id))"
    )
  }

  func save<Model: PersistableModel>(_ models: [Model]) async throws(FreshetError) -> [Model] {
    do {
      try await database.write { database in
        for model in models {
          try database.execute(
            sql: "INSERT OR REPLACE INTO model (type, id, body) VALUES (?, ?, ?)",
            arguments: [Model.modelName, "\(model.id)", try JSONEncoder().encode(model)]
          )
        }
      }
      return models
    } catch {
      throw .store(StoreFailure("GRDB could not save: \(error)"))
    }
  }
}

private func wholeClient(_ file: URL, _ service: URL) async throws {
  let queue = try DatabaseQueue(path: file.path)
  try await queue.write { try GRDBModels.createTable(in: $0) }
  let client = Client {
    $0.baseURL = service
    $0.models = GRDBModels(database: queue)
  }
  _ = client
}

private enum GRDBReading {
  func storedModels<Model: PersistableModel>(
    _ type: Model.Type,
    in database: Database
  ) throws -> [Model] {
    try Data.fetchAll(
      database,
      sql: "SELECT body FROM model WHERE type = ?",
      arguments: [Model.modelName]
    )
    .map { try JSONDecoder().decode(type, from: $0) }
  }
}

private enum GRDBRecords {
  func insert(_ models: [some PersistableModel], into database: Database) throws {
    guard let users = models as? [User] else { return }
    for user in users {
      try database.execute(
        sql: "INSERT OR REPLACE INTO user (id, name) VALUES (?, ?)",
        arguments: [user.id, user.name]
      )
    }
  }
}
