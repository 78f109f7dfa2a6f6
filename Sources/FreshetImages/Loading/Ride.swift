import Freshet

/// What a load delivers.
enum LoadStep: Sendable {
  /// A coarse picture of what has arrived.
  case arriving(Picture)
  /// A picture: the local one, or the final one.
  case image(LoadedImage)
}

/// One reader's load: a task of its own, so that the reader's actor only sees its events.
///
/// Releasing it gives the load up, unless the load is to go on without readers. The transfer and the
/// decoding behind it may be shared with others.
final class Ride {
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

  func next(isolation actor: isolated (any Actor)?) async throws(ImageError) -> Event<LoadStep>? {
    try await events.next(isolation: actor)
  }
}
