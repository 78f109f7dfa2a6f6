/// The treatment of stored models that are no longer in the response of a live value's refresh.
public enum SavePolicy: Sendable, Hashable {
  /// They stay; the response is saved beside them, each of its pages as it arrives.
  case adding
  /// They are deleted: the response takes the place of what the query finds, see
  /// ``ModelStore/replace(_:with:)``.
  ///
  /// - All pages of a list make one replacement, after the last of them and in one transaction.
  /// - A list that an error cuts off replaces nothing, and nothing of it is saved. A cached copy that
  ///   replaces a failed response replaces nothing either.
  /// - A client with ``/Freshet/Client/Configuration/models`` saves each response before it gets here, also
  ///   the first pages of a list that is cut off. They are shown beside the others, and none of those is deleted.
  /// - A response without a list, such as `null` where an optional array is expected, replaces
  ///   nothing: the refresh has failed with ``/Freshet/FreshetError/store(_:)``.
  case replacing
}
