#if os(Linux)
/// The transport of this platform, used unless another one is given.
public typealias DefaultTransport = CurlTransport
#elseif canImport(Darwin)
/// The transport of this platform, used unless another one is given.
public typealias DefaultTransport = URLSessionTransport
#endif
