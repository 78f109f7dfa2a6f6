import Freshet

enum ReadingFailure: Error {
  /// The file is damaged, as a connection of a generation has found.
  case damage(FreshetError, generation: Int)
  /// Another process has replaced the database, and this one has not opened it yet.
  case moved
  case other(FreshetError)

  /// Tells the two apart by the connection, which is used no more if it has met damage.
  init(_ error: FreshetError, on connection: ModelConnection) {
    self =
      connection.isDamaged ? .damage(error, generation: connection.generation) : .other(error)
  }

  /// The failure for those who asked.
  var error: FreshetError {
    switch self {
    case .damage(let error, _), .other(let error): error
    case .moved: .store("the database was replaced by another process")
    }
  }
}
