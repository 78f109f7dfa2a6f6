import Freshet

extension DiskStore {
  /// Renews an item whose body is stored; one that has been evicted comes back whole.
  func renew(_ item: StoreItem, body: ResourceBody?) async throws {
    do {
      _ = try await refresh(item.response(body: body))
    } catch FreshetError.store(let failure) where failure.reason == .bodyRemoved {
      _ = try await keep(item.response())
    }
  }

  /// Keeps an item, unless another process has kept a newer one since it was made.
  func keepNewest(_ item: StoreItem) async throws {
    do {
      _ = try await keep(item.response())
    } catch FreshetError.store(let failure) where failure.reason == .older {
      return
    }
  }
}
