import Foundation
import Synchronization

/// The place of a scan: a connection of its own in one snapshot.
///
/// A store in memory has one connection only; there it is a list of rows, read one by one.
final class ModelCursor<Model: PersistableModel> {
  /// After so many models, those inside them are forgotten.
  private static var step: Int { 128 }

  private enum Place {
    case statement(SQLiteStatement, ModelReading)
    case rows(ArraySlice<EntityID>, ModelCore)
  }

  private var place: Place?
  private var context: ReadingContext?
  private var count = 0

  init(_ core: ModelCore, _ query: ModelQuery<Model>) throws(FreshetError) {
    if let failure = query.sql.failure { throw failure }
    if case .memory = core.place {
      let rows = try core.read { reading throws(FreshetError) in try Self.rows(query, reading) }
      place = .rows(rows[...], core)
    } else {
      place = try Self.statement(core, query)
    }
  }

  private static func statement(
    _ core: ModelCore,
    _ query: ModelQuery<Model>
  ) throws(FreshetError) -> Place? {
    let connection = try core.reader(0)
    let reading = ModelReading(connection: connection)
    do throws(SQLiteError) {
      // Closing the connection ends it.
      try connection.run("BEGIN")
      guard let table = try reading.table(query) else { return nil }
      let selection = try query.sql.statement("id, version, body", table)
      let statement = try connection.statement(selection.sql)
      try statement.bind(selection.parameters)
      return .statement(statement, reading)
    } catch {
      throw connection.failure(error)
    }
  }

  private static func rows(
    _ query: ModelQuery<Model>,
    _ reading: ModelReading
  ) throws(FreshetError) -> [EntityID] {
    do throws(SQLiteError) {
      guard let table = try reading.table(query) else { return [] }
      let selection = try query.sql.statement("id", table)
      let statement = try reading.connection.statement(selection.sql)
      defer { statement.reset() }
      try statement.bind(selection.parameters)
      var rows: [EntityID] = []
      while try statement.step() { rows.append(EntityID(statement, column: 0)) }
      return rows
    } catch {
      throw reading.connection.failure(error)
    }
  }

  func next() throws(FreshetError) -> Model? {
    switch place {
    case nil: return nil
    case .statement(let statement, let reading): return try next(statement, reading)
    case .rows(var rows, let core):
      defer { place = .rows(rows, core) }
      while let id = rows.popFirst() {
        if let model = try Self.read(id, core) { return model }
      }
      return nil
    }
  }

  private func next(
    _ statement: SQLiteStatement,
    _ reading: ModelReading
  ) throws(FreshetError) -> Model? {
    do {
      while try statement.step() {
        count += 1
        if let model: Model = try ModelReading.model(statement, context(reading)) { return model }
      }
      return nil
    } catch {
      throw reading.failure(error, Model.self)
    }
  }

  private func context(_ reading: ModelReading) -> ReadingContext {
    if count % Self.step != 0, let context { return context }
    let context = ReadingContext(reading)
    self.context = context
    return context
  }

  private static func read(_ id: EntityID, _ core: ModelCore) throws(FreshetError) -> Model? {
    try core.read { reading throws(FreshetError) in
      do {
        let key = EntityKey(model: Model.modelName, id: id)
        guard let record = try reading.record(key) else { return nil }
        return try ReadingContext(reading).model(Model.self, key, record)
      } catch is MissingModel {
        return nil
      } catch {
        throw reading.failure(error, Model.self)
      }
    }
  }
}
