/// One request of a batch.
public struct BatchItem: Sendable {
  /// The properties behind one reference, because an item is copied with each of its events.
  private final class Content: Sendable {
    let index: Int
    let request: Request
    let size: Int64?

    init(index: Int, request: Request, size: Int64?) {
      self.index = index
      self.request = request
      self.size = size
    }
  }

  private let content: Content

  init(index: Int, request: Request, size: Int64? = nil) {
    content = Content(index: index, request: request, size: size)
  }

  /// Returns the item, with this priority if it is higher.
  func raised(to priority: Request.Priority) -> BatchItem {
    guard priority > request.priority else { return self }
    var request = request
    request.priority = priority
    return BatchItem(index: index, request: request, size: size)
  }

  /// Its position in the source of the batch, from 0; that of the first one if it repeats.
  public var index: Int { content.index }
  /// The request.
  public var request: Request { content.request }
  /// The number of bytes to transfer, if a plan has determined it.
  var size: Int64? { content.size }
}
