package import Freshet
import FreshetEssentials

extension ModelStore: InspectedModels {
  /// Returns the number and the size of the models of each type, those with the most models first.
  ///
  /// Models have no times of their own: the ages are those of the live queries that the network has answered, and of
  /// the changes that are pending.
  @concurrent package func figures() async throws(FreshetError) -> [ModelFigures] {
    try await open()
    return try readNow { reading throws(FreshetError) in
      try reading.connection.report(try reading.figures())
    }
  }
}

extension ModelReading {
  fileprivate func figures() throws(SQLiteError) -> [ModelFigures] {
    var figures: [ModelFigures] = []
    let types = try connection.rows("SELECT number, name FROM model") {
      (number: $0.integer(0), name: $0.textIfText(1) ?? "")
    }
    for type in types {
      let table = "SELECT count(*), total(length(body)) FROM entity_\(type.number)"
      let count = try connection.row(table) { ($0.integer(0), $0.real(1)) }
      figures.append(
        ModelFigures(
          name: type.name,
          count: Int(count?.0 ?? 0),
          bytes: Int64(count?.1 ?? 0),
          refreshes: try refreshes(of: type.name),
          pending: try span("FROM change WHERE model = ? AND state != 2", [.text(type.name)])
        )
      )
    }
    return figures.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The refreshes of the queries of a type and of its single models, whose names begin with that of the type.
  private func refreshes(of name: String) throws(SQLiteError) -> ModelFigures.Span {
    // A text begins with its length, so no name begins with that of another type.
    var query = ModelRecordWriter()
    query.text(name)
    var reference = ModelRecordWriter()
    reference.reference(EntityKey(model: name, id: .integer(0)))
    // The identity, a zero, is its last byte.
    let prefixes = [query.bytes, reference.bytes.dropLast()]
    return try span(
      "FROM refresh WHERE substr(name, 1, ?) = ? OR substr(name, 1, ?) = ?",
      prefixes.flatMap { [.integer(Int64($0.count)), .bytes($0)] }
    )
  }

  private func span(
    _ source: String,
    _ parameters: [SQLiteValue]
  ) throws(SQLiteError) -> ModelFigures.Span {
    let times = "SELECT count(*), min(time), max(time) \(source)"
    return try connection.row(times, parameters) { select in
      let isEmpty = select.integer(0) == 0
      return ModelFigures.Span(
        count: Int(select.integer(0)),
        first: isEmpty ? nil : Date(timeIntervalSince1970: select.real(1)),
        last: isEmpty ? nil : Date(timeIntervalSince1970: select.real(2))
      )
    } ?? ModelFigures.Span(count: 0, first: nil, last: nil)
  }
}
