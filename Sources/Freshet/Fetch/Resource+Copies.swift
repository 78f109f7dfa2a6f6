extension Resource {
  /// Returns the copies of the same body that stores have for the request, each with its store.
  package func copies(
    in stores: [any ResourceStore]
  ) async -> [(store: any ResourceStore, copy: StoredResponse)] {
    var copies: [(store: any ResourceStore, copy: StoredResponse)] = []
    for store in stores {
      guard let copy = await store.find(context.key, for: context.headers),
        (try? copy.hasSameBody(as: response)) == true
      else { continue }
      copies.append((store, copy))
    }
    return copies
  }
}
