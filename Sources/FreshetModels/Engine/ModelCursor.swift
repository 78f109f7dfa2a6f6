import Freshet
import FreshetEssentials

/// The position of a scan: a connection of its own in one snapshot.
///
/// A store in memory has only one connection, and no snapshots: there everything is read at once.
final class ModelCursor<Model: PersistableModel> {
  /// The number of models after which the cache of nested models is emptied.
  private static var step: Int { 128 }

  private enum Place {
    case statement(SQLiteStatement, ModelReading)
    case models(ArraySlice<Model>)
  }

  private var place: Place?
  private var context: ReadingContext?
  private var count = 0
  private var toSkip = 0
  private var left = Int.max

  init(_ core: ModelDatabase, _ query: ModelQuery<Model>) throws(ReadingFailure) {
    if let failure = query.sql.failure { throw .other(failure) }
    if case .memory = core.place {
      let models = try core.read { reading throws(FreshetError) in
        try reading.models(query, in: ReadingContext(reading))
      }
      place = .models(models[...])
    } else {
      place = try Self.statement(core, query)
      (toSkip, left) = (query.sql.offset, query.sql.limit ?? .max)
    }
  }

  private static func statement(
    _ core: ModelDatabase,
    _ query: ModelQuery<Model>
  ) throws(ReadingFailure) -> Place? {
    let connection = try core.scanner()
    let reading = ModelReading(connection: connection)
    do throws(SQLiteError) {
      // Closing the connection ends it.
      try connection.run("BEGIN")
      guard let table = try reading.table(query) else { return nil }
      // The limit and the offset are applied here.
      var selected = query.sql
      (selected.offset, selected.limit) = (0, nil)
      let selection = try selected.statement("id, version, body", table, on: connection)
      let statement = try connection.statement(selection.sql)
      try statement.bind(selection.parameters)
      return .statement(statement, reading)
    } catch {
      throw ReadingFailure(connection.failure(error), on: connection)
    }
  }

  func next() throws(ReadingFailure) -> Model? {
    switch place {
    case nil: return nil
    case .statement(let statement, let reading): return try next(statement, reading)
    case .models(var models):
      defer { place = .models(models) }
      return models.popFirst()
    }
  }

  private func next(
    _ statement: SQLiteStatement,
    _ reading: ModelReading
  ) throws(ReadingFailure) -> Model? {
    do {
      while left > 0, try statement.step() {
        count += 1
        guard let model: Model = try ModelReading.model(statement, context(reading)) else {
          continue
        }
        if toSkip > 0 {
          toSkip -= 1
          continue
        }
        left -= 1
        return model
      }
      return nil
    } catch {
      throw ReadingFailure(reading.failure(error, Model.self), on: reading.connection)
    }
  }

  private func context(_ reading: ModelReading) -> ReadingContext {
    if count % Self.step != 0, let context { return context }
    let context = ReadingContext(reading)
    self.context = context
    return context
  }
}
