/// One request of a batch.
public struct BatchItem: Sendable {
  /// Its position in what the batch was made of, from 0; that of the first one if it repeats.
  public let index: Int
  /// What is wanted.
  public let request: Request
  /// How many bytes have to be transferred, as a plan knows it.
  var size: Int64?

  init(index: Int, request: Request, size: Int64? = nil) {
    self.index = index
    self.request = request
    self.size = size
  }
}
