public import Foundation
public import Freshet

/// What is to be shown: a resource, and how much of it is decoded.
///
/// Two requests are equal if they ask for the same resource with the same headers, target and
/// animation; a view that is given an equal request does not load again.
///
/// ```swift
/// let request = ImageRequest(url, target: ImageTarget(width: 80, height: 80, scale: 2, mode: .fill))
/// ```
public struct ImageRequest: Sendable {
  /// What is done with the frames of an animated picture.
  public enum Animation: String, Sendable, Hashable, CaseIterable {
    /// All are decoded.
    case frames
    /// Only the first is decoded.
    case still
  }

  /// The resource.
  public var resource: Request
  /// The box that it is to fill, or `nil`, the default, for its full size.
  public var target: ImageTarget?
  /// Whether frames are decoded; they are by default.
  public var animation: Animation
  /// How the resource is fetched; as the loader's client does, by default.
  ///
  /// Whether a stale copy is shown is said by ``ImageOptions/local-swift.property`` alone.
  public var policy: ResourcePolicy?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - resource: The resource.
  ///   - target: The box that it is to fill; its full size by default.
  ///   - animation: Whether frames are decoded; they are by default.
  public init(_ resource: Request, target: ImageTarget? = nil, animation: Animation = .frames) {
    self.resource = resource
    self.target = target
    self.animation = animation
  }

  /// Makes a request for what is at a URL.
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - target: The box that it is to fill; its full size by default.
  ///   - animation: Whether frames are decoded; they are by default.
  public init(_ url: URL, target: ImageTarget? = nil, animation: Animation = .frames) {
    self.init(Request(url), target: target, animation: animation)
  }
}

extension ImageRequest {
  /// What makes two requests the same.
  struct Identity: Sendable, Hashable {
    let key: CacheKey
    let headers: HTTPHeaders
    let target: ImageTarget?
    let animation: Animation
  }

  /// What the request itself says.
  var identity: Identity {
    Identity(
      key: CacheKey(resource),
      headers: resource.headers,
      target: target,
      animation: animation
    )
  }

  /// The same with what the client and its transport add at this moment, such as who is signed in.
  func identity(for client: Client) -> Identity {
    let (key, headers) = client.question(for: resource)
    return Identity(key: key, headers: headers, target: target, animation: animation)
  }
}

extension ImageRequest: Hashable {
  /// Whether both ask for the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.identity == right.identity
  }

  /// Adds what makes requests equal.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
  }
}
