public import Freshet
public import FreshetEssentials

/// A request for an image: a resource, with the size and the frames to decode, and their processing.
///
/// Two requests are equal if they ask for the same resource with the same headers, target,
/// animation and processors. A view that gets an equal request does not load it again.
///
/// ```swift
/// let request = ImageRequest(url, target: ImageTarget(width: 80, height: 80, scale: 2, mode: .fill))
/// ```
public struct ImageRequest: Sendable {
  /// The frames of an animated picture to decode.
  public enum Animation: String, Sendable, Hashable, CaseIterable {
    /// All frames.
    case frames
    /// Only the first frame; on Linux, the default image of an animated PNG.
    case still
  }

  /// The resource.
  public var resource: Request
  /// The box that the image will fill; its full size if `nil`, the default.
  public var target: ImageTarget?
  /// The frames to decode; all of them by default.
  public var animation: Animation
  /// The processors that change the decoded picture, in their order; none by default.
  ///
  /// Each frame of an animated picture is processed. Results are cached by the list, in the loader's
  /// ``PictureCache`` and, with ``ImageLoader/Configuration/processed-swift.property``, on disk.
  public var processors: [ImageProcessor]
  /// The policy for fetching the resource; `nil`, the default, uses that of the loader's client.
  ///
  /// Only ``ImageOptions/local-swift.property`` decides whether a stale copy is shown.
  public var policy: ResourcePolicy?

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - target: The box that the image will fill; its full size by default.
  ///   - animation: The frames to decode; all of them by default.
  ///   - processors: The processors of the decoded picture, in their order; none by default.
  public init(
    _ resource: Request,
    target: ImageTarget? = nil,
    animation: Animation = .frames,
    processors: [ImageProcessor] = []
  ) {
    self.resource = resource
    self.target = target
    self.animation = animation
    self.processors = processors
  }

  /// Creates a request for the image at a URL.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - target: The box that the image will fill; its full size by default.
  ///   - animation: The frames to decode; all of them by default.
  ///   - processors: The processors of the decoded picture, in their order; none by default.
  public init(
    _ url: URL,
    target: ImageTarget? = nil,
    animation: Animation = .frames,
    processors: [ImageProcessor] = []
  ) {
    self.init(Request(url), target: target, animation: animation, processors: processors)
  }
}

extension ImageRequest {
  /// The properties by which requests are compared.
  struct Identity: Sendable, Hashable {
    let key: CacheKey
    let headers: HTTPHeaders
    let target: ImageTarget?
    let animation: Animation
    var processors: [ImageProcessor] = []

    /// The identity of the picture that is processed: a resizing at the beginning lets the decoder reduce.
    var unprocessed: Identity {
      let target = target ?? processors.first?.target
      return Identity(key: key, headers: headers, target: target, animation: animation)
    }
  }

  /// The identity of the request itself.
  var identity: Identity { makeIdentity(CacheKey(resource), resource.headers) }

  /// Returns the identity with the fields that the client and its transport would add now, such as
  /// credentials.
  func identity(for client: Client) -> Identity {
    let (key, headers) = client.question(for: resource)
    return makeIdentity(key, headers)
  }

  private func makeIdentity(_ key: CacheKey, _ headers: HTTPHeaders) -> Identity {
    Identity(
      key: key,
      headers: headers,
      target: target?.comparable,
      animation: animation,
      processors: processors
    )
  }
}

extension ImageTarget {
  /// The target with 0 in place of NaN, which is not equal to itself; neither reduces a picture.
  fileprivate var comparable: ImageTarget {
    func number(_ value: Double) -> Double { value.isNaN ? 0 : value }
    return ImageTarget(
      width: number(width),
      height: number(height),
      scale: number(scale),
      mode: mode
    )
  }
}

extension ImageRequest: Hashable {
  /// Returns whether both requests ask for the same image.
  public static func == (left: Self, right: Self) -> Bool {
    left.identity == right.identity
  }

  /// Hashes the properties by which requests are compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
  }
}
