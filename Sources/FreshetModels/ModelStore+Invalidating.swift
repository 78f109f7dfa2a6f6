extension ModelStore {
  /// Has live values refetch that name a tag, see ``RefetchTrigger/tag(_:)``.
  ///
  /// A ``ChangeQueue`` does so when the server has confirmed a change, with the tags of its
  /// ``/Freshet/Endpoint/options``. It concerns the live values of this store, in this process.
  ///
  /// - Parameter tag: The tag.
  public func invalidate(tag: String) {
    core.tagObservers.notify(tag)
  }
}
