import Freshet

/// The order that a server gave the models which a query without an order finds.
///
/// A model that is deleted keeps its place, for the case that it comes back. The lists that have changed
/// last are kept, see ``ModelSchema/nameLimit``; any other is as one that was never set.
struct ModelList {
  private let name: [UInt8]
  private let connection: ModelConnection

  /// Makes the list with the name that ``ModelSelection/listName(_:)`` returns.
  init(_ name: [UInt8], on connection: ModelConnection) {
    self.name = name
    self.connection = connection
  }

  /// The list's number; `nil` if nothing was arranged.
  func number() throws(SQLiteError) -> Int64? {
    try connection.row("SELECT number FROM list WHERE name = ?", [.bytes(name)]) { $0.integer(0) }
  }

  /// Sets the order.
  ///
  /// - Returns: `true` if it was another one before.
  func set(_ members: [EntityID]) throws(SQLiteError) -> Bool {
    var known: Set<EntityID> = []
    let members = members.filter { known.insert($0).inserted }
    let number = try number()
    guard try number.map(self.members) ?? [] != members else { return false }
    if let number { try remove(number) } else { try makeRoom() }
    if members.isEmpty { return true }
    try connection.run("INSERT INTO list (name) VALUES (?)", .bytes(name))
    let new = connection.sqlite.lastInsertedID
    for (place, member) in members.enumerated() {
      try connection.run(
        "INSERT INTO member (list, entity, place) VALUES (?, ?, ?)",
        .integer(new),
        member.bound,
        .integer(Int64(place))
      )
    }
    return true
  }

  private func members(_ number: Int64) throws(SQLiteError) -> [EntityID] {
    let sql = "SELECT entity FROM member WHERE list = ? ORDER BY place"
    return try connection.rows(sql, [.integer(number)]) { EntityID($0, column: 0) }
  }

  /// Deletes the oldest lists, so that there is room for another one.
  private func makeRoom() throws(SQLiteError) {
    let sql = "SELECT number FROM list ORDER BY number DESC LIMIT -1 OFFSET ?"
    let limit = SQLiteValue.integer(Int64(ModelSchema.nameLimit - 1))
    for number in try connection.integers(sql, [limit]) { try remove(number) }
  }

  private func remove(_ number: Int64) throws(SQLiteError) {
    try connection.run("DELETE FROM member WHERE list = ?", .integer(number))
    try connection.run("DELETE FROM list WHERE number = ?", .integer(number))
  }

  static func removeAll(on connection: ModelConnection) throws(SQLiteError) {
    try connection.run("DELETE FROM member")
    try connection.run("DELETE FROM list")
  }
}
