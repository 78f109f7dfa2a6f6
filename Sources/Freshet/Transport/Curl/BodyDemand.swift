#if !canImport(Darwin)
/// What the receiver of a piece of a body wants next.
enum BodyDemand {
  case more
  /// Its buffer is full; it will resume receiving.
  case pause
  /// Nothing: the piece exceeds a limit, or there is not enough memory.
  case none
}
#endif
