import Freshet

/// A value of a load.
enum LoadStep: Sendable {
  /// A preview of the arriving picture.
  case arriving(Picture)
  /// A picture, either the local or the final one.
  case image(LoadedImage)
}

/// A subscription of one reader to a load, which runs in its own task, so that the reader's actor only
/// handles events.
///
/// Releasing it cancels the load, unless the load is to continue without readers. The transfer and the
/// decoding can be shared with other loads.
final class LoadSubscription {
  private let load: Running<LoadStep, ImageError>
  private let abandonment: ImageOptions.Abandonment
  private var events: RunningEvents<LoadStep, ImageError>.Iterator

  init(_ sequence: ImageSequence) {
    load = sequence.loader.events(of: sequence.request, sequence.options).start()
    abandonment = sequence.options.abandonment
    events = load.events.makeAsyncIterator()
  }

  deinit {
    if abandonment == .cancel { load.cancel() }
  }

  func next() async throws(ImageError) -> Event<LoadStep>? {
    try await events.next()
  }
}
