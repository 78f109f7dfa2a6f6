/// One request of a batch.
public struct BatchItem: Sendable {
  /// An item is copied with each of its events: one reference is cheaper than a request.
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

  /// The same item, with this priority if it is higher.
  func raised(to priority: Request.Priority) -> BatchItem {
    guard priority > request.priority else { return self }
    var request = request
    request.priority = priority
    return BatchItem(index: index, request: request, size: size)
  }

  /// Its position in what the batch was made of, from 0; that of the first one if it repeats.
  public var index: Int { content.index }
  /// What is wanted.
  public var request: Request { content.request }
  /// How many bytes have to be transferred, as a plan knows it.
  var size: Int64? { content.size }
}
