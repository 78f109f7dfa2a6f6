public import FreshetEssentials

extension DiskStore {
  /// The file in which the body of a stored response rests, fresh or not.
  ///
  /// A small body, which is in the database, is moved to a file by this, as a larger one has been from
  /// the beginning. The file belongs to the store: it must not be changed, and it goes when the response
  /// is replaced, removed or evicted. What shall stay is copied by ``ResourceBody/write(to:)``, or
  /// downloaded by ``Client/download(_:to:expecting:policy:)-(URL,_,_,_)``.
  ///
  /// ``Client/location(for:)`` asks with the header fields and the partition of a client.
  ///
  /// - Parameters:
  ///   - request: The request; its header fields choose among variants.
  ///   - partition: The text that separates entries of the same URL, such as a user's name; `""` by default.
  /// - Returns: The file; `nil` if nothing is stored for the request, or only an error.
  /// - Throws: ``FreshetError/store(_:)`` if a small body could not be moved to a file.
  public func location(
    for request: Request,
    partition: String = ""
  ) async throws(FreshetError) -> URL? {
    try await location(of: CacheKey(request, partition: partition), for: request.headers)
  }

  func location(
    of key: CacheKey,
    for headers: HTTPHeaders
  ) async throws(FreshetError) -> URL? {
    // Another response may take its place in between.
    for _ in 0..<3 {
      guard let response = await find(key, for: headers)?.copyOfResource else { return nil }
      if let url = response.body.fileURL { return url }
      if let url = try await moveOut(response) { return url }
    }
    throw .store("the response was replaced each time its body was moved to a file")
  }

  /// Moves a body out of the database.
  ///
  /// - Returns: The file; `nil` if something else is stored by now.
  private func moveOut(_ response: StoredResponse) async throws(FreshetError) -> URL? {
    let digest = try response.sha256()
    let staged = try StagedBody(
      response.body,
      in: shared.layout,
      durability: configuration.durability
    )
    let record = DiskRecord(response, digest: digest, body: .file(staged.name))
    let path = shared.layout.bodyPath(staged.name)
    do throws(FreshetError) {
      let isMoved = try await writer.perform { transaction throws(SQLiteError) in
        guard access(path, F_OK) == 0 else { return false }
        return try transaction.moveOut(record)
      }
      if isMoved { return shared.layout.body(staged.name) }
    } catch {
      staged.undo()
      throw error
    }
    staged.undo()
    return nil
  }
}

extension DiskTransaction {
  /// Lets the row of a record refer to the record's file, if its body is in the database.
  ///
  /// - Returns: `true` if there is such a row with the same body.
  func moveOut(_ record: DiskRecord) throws(SQLiteError) -> Bool {
    let record = record.salted(salt)
    let row = try prepared(
      """
      SELECT id, head, stored, cost FROM response
      WHERE key = ? AND varying = ? AND digest = ? AND file IS NULL
      """
    )
    try row.bind([.text(record.key.text), .blob(record.varying), .blob(record.digest)])
    guard try row.step(), let head = row.blob(1) else { return false }
    let (id, stored, cost) = (row.integer(0), row.real(2), row.integer(3))
    row.reset()
    try run(
      "UPDATE response SET file = ?, bytes = NULL, fingerprint = ? WHERE id = ?",
      .text(record.body.name),
      .integer(record.fingerprint(head: head, stored: stored, cost: cost)),
      .integer(id)
    )
    return true
  }
}
