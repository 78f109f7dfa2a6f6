import Freshet

/// A list that takes the place of what a query finds.
struct ModelReplacement<Model: PersistableModel>: Sendable {
  let query: ModelQuery<Model>
  /// The models of the list, in its order.
  private(set) var members: [EntityID] = []
  /// These, and models of the type inside them.
  private(set) var kept: Set<EntityID> = []
  /// A Boolean value that indicates whether the response had a list, even an empty one.
  private(set) var hasList = false

  init(_ query: ModelQuery<Model>) {
    self.query = query
  }

  /// Adds a part of a response, which is of the list if its models have the list's name.
  mutating func add(_ part: ModelPart) {
    for key in part.all where key.model == Model.modelName { kept.insert(key.id) }
    guard part.name == Model.modelName else { return }
    hasList = true
    members += part.members.map(\.id)
  }

  /// Fails for a response that has no list.
  func requireList() throws(FreshetError) {
    if hasList { return }
    throw .store("there is no list of \(Model.modelName) in the response: nothing was replaced")
  }
}

/// Models that a response has together: which they are, and the models inside them.
struct ModelPart: Sendable {
  let name: String
  let members: [EntityKey]
  let all: [EntityKey]
}

extension ModelBatch {
  var part: ModelPart { ModelPart(name: Model.modelName, members: keys, all: records.map(\.key)) }
}

// MARK: - In a transaction

extension ModelTransaction {
  /// Saves something, and deletes what the query finds that is not kept.
  func replace<Model: PersistableModel, Value>(
    _ replacement: ModelReplacement<Model>,
    saving save: (ModelTransaction) throws(FreshetError) -> Value
  ) throws(FreshetError) -> Value {
    let query = replacement.query
    return try noting { () throws(FreshetError) in
      if let failure = query.sql.failure { throw failure }
      try lift([.all(Model.modelName)])
      try touch([.all(Model.modelName)])
      let before = try matches(query)
      let value = try save(self)
      try delete(before.filter { !replacement.kept.contains($0.id) }, of: Model.self)
      // Of a list that begins behind others, the order would put it before them.
      // The order of a list is the server's: a pending change does not set it.
      if change == nil, query.sql.orders.isEmpty, query.sql.offset == 0 { try arrange(replacement) }
      try delete(try rest(of: replacement), of: Model.self)
      return value
    }
  }

  struct Match {
    let row: Int64
    let id: EntityID
  }

  func matches<Model: PersistableModel>(
    _ query: ModelQuery<Model>
  ) throws(FreshetError) -> [Match] {
    try select(query.sql, of: Model.self) { _ in true }
  }

  /// Returns the models that the query finds and that are not kept.
  ///
  /// Deleting a model brings another one within the query's limit, until the kept ones fill it.
  private func rest<Model: PersistableModel>(
    of replacement: ModelReplacement<Model>
  ) throws(FreshetError) -> [Match] {
    var selection = replacement.query.sql
    var (toSkip, room) = (selection.offset, selection.limit ?? .max)
    (selection.offset, selection.limit) = (0, nil)
    var rest: [Match] = []
    _ = try select(selection, of: Model.self) { match in
      if room == 0 { return false }
      if toSkip > 0 {
        toSkip -= 1
      } else if replacement.kept.contains(match.id) {
        room -= 1
      } else {
        rest.append(match)
      }
      return true
    }
    return rest
  }

  /// Reads rows as long as they are taken.
  private func select<Model: PersistableModel>(
    _ selection: ModelSelection,
    of type: Model.Type,
    _ take: (Match) -> Bool
  ) throws(FreshetError) -> [Match] {
    let table = try ModelPreparation(connection: connection).prepare(type)
    return try connection.reporting { () throws(SQLiteError) in
      let statement = try selection.statement("row, id", table, on: connection)
      let select = try connection.statement(statement.sql)
      defer { select.reset() }
      try select.bind(statement.parameters)
      var matches: [Match] = []
      while try select.step() {
        let match = Match(row: select.integer(0), id: EntityID(select, column: 1))
        guard take(match) else { break }
        matches.append(match)
      }
      return matches
    }
  }

  func delete<Model: PersistableModel>(
    _ matches: [Match],
    of type: Model.Type
  ) throws(FreshetError) {
    let table = try ModelPreparation(connection: connection).prepare(type)
    try connection.reporting { () throws(SQLiteError) in
      for match in matches {
        let key = EntityKey(model: Model.modelName, id: match.id)
        if change != nil { try capture(key, try table.row(match.id)) }
        try table.delete(match.row)
        note(key)
      }
    }
  }

  /// Has the query find its models in the list's order.
  private func arrange<Model: PersistableModel>(
    _ replacement: ModelReplacement<Model>
  ) throws(FreshetError) {
    let list = ModelList(replacement.query.sql.listName(Model.modelName), on: connection)
    try connection.reporting { () throws(SQLiteError) in
      if try list.set(replacement.members) { noteAll(Model.modelName) }
    }
  }
}
