/// How a load shows itself.
///
/// ```swift
/// let options = ImageOptions { $0.transition = .slide(from: .top) }
/// ```
public struct ImageOptions: Sendable, Hashable {
  /// Whether a local copy is shown before the origin has said that it is still right; at once by
  /// default.
  public var local = Local.shown
  /// When a completion is reported; when the screen has changed, by default.
  public var completion = Completion.onChange
  /// When the activity indicator begins; after 250 ms by default.
  public var activity = Activity.after(.milliseconds(250))
  /// How a picture that came from the network takes the place of what was there; by cross-fading, by
  /// default.
  public var transition = ImageTransition.crossFade
  /// What becomes of a load that nobody follows any more; it is cancelled by default.
  public var abandonment = Abandonment.cancel

  /// Whether a picture is shown while it still arrives; not by default.
  public var arrival = Arrival.hidden

  /// Makes the default options, changed by a closure.
  public init(_ configure: (inout ImageOptions) -> Void = { _ in }) {
    configure(&self)
  }

  /// Whether a local copy is shown while it is being validated.
  public enum Local: String, Sendable, Hashable, CaseIterable {
    /// At once, unless its response forbids stale use.
    case shown
    /// Only once it is known to be right.
    case withheld
  }

  /// When a completion is reported; a failure always is.
  public enum Completion: String, Sendable, Hashable, CaseIterable {
    /// When what is on the screen has changed.
    case onChange
    /// After each step that might have changed it.
    case always
  }

  /// Whether a picture is shown while it still arrives.
  public enum Arrival: String, Sendable, Hashable, CaseIterable {
    /// Only once it is whole.
    case hidden
    /// Coarse at first and then finer, where the format and the decoder offer that: progressive JPEG
    /// with ``SystemPictureDecoder``. What has arrived is held in memory once more, up to 16 MiB, and
    /// is decoded anew whenever it has doubled.
    case shown
  }

  /// When an activity indicator is shown.
  public enum Activity: Sendable, Hashable {
    /// Never.
    case never
    /// While there is no picture, but not before this time has passed.
    case after(Duration)
  }

  /// What becomes of a load that nobody follows any more.
  public enum Abandonment: String, Sendable, Hashable, CaseIterable {
    /// Its transfer ends at once.
    case cancel
    /// It goes on to its end, so that the stores have the picture the next time.
    case finish
  }
}
