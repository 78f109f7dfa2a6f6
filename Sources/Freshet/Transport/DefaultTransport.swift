#if os(Linux)
/// The default transport of this platform.
public typealias DefaultTransport = CurlTransport
#elseif canImport(Darwin)
/// The default transport of this platform.
public typealias DefaultTransport = URLSessionTransport
#endif
