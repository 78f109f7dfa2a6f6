/// The options of a load.
///
/// ```swift
/// let options = ImageOptions { $0.transition = .slide(from: .top) }
/// ```
public struct ImageOptions: Sendable, Hashable {
  /// The use of a local copy before the origin has confirmed it; it is shown immediately by default.
  public var local = Local.shown
  /// The conditions for reporting a completion; when the screen has changed, by default.
  public var completion = Completion.onChange
  /// The activity indicator; shown after 250 ms by default.
  public var activity = Activity.after(.milliseconds(250))
  /// The transition to a picture from the network; a cross-fade by default.
  public var transition = ImageTransition.crossFade
  /// The fate of a load without readers; it is cancelled by default.
  public var abandonment = Abandonment.cancel

  /// The display of a picture while it is arriving; hidden by default.
  ///
  /// A picture of which ranges are stored is not shown before the rest has arrived.
  public var arrival = Arrival.hidden

  /// Creates the default options, changed by a closure.
  public init(_ configure: (inout ImageOptions) -> Void = { _ in }) {
    configure(&self)
  }

  /// The use of a local copy while it is being revalidated.
  public enum Local: String, Sendable, Hashable, CaseIterable {
    /// It is shown immediately, unless its response forbids stale use.
    case shown
    /// It is only shown once it is confirmed.
    case withheld
  }

  /// The conditions for reporting a completion; a failure is always reported.
  public enum Completion: String, Sendable, Hashable, CaseIterable {
    /// When the content of the screen has changed.
    case onChange
    /// After each step that might have changed it. A local copy that is withheld while it is validated
    /// is reported too, as an ``ImageReport/Outcome/preview(_:)`` that has changed nothing.
    case always
  }

  /// The display of a picture while it is arriving.
  public enum Arrival: String, Sendable, Hashable, CaseIterable {
    /// The picture is only shown when it is complete.
    case hidden
    /// The picture is shown in increasing quality, if the format and the decoder support it.
    ///
    /// That is progressive JPEG with ``SystemPictureDecoder``. A second copy of the arriving bytes, of
    /// up to 16 MiB, is kept in memory, and is decoded each time it has doubled. The copy begins
    /// with the part that an earlier load has stored, if the transfer continues that part.
    case shown
  }

  /// The conditions for showing an activity indicator.
  public enum Activity: Sendable, Hashable {
    /// It is never shown.
    case never
    /// It is shown while there is no picture, but only after this time.
    case after(Duration)
  }

  /// The fate of a load without readers.
  public enum Abandonment: String, Sendable, Hashable, CaseIterable {
    /// The transfer is cancelled immediately.
    case cancel
    /// The load continues to its end, so that the stores have the picture for the next time.
    case finish
  }
}
