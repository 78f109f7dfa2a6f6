#if !canImport(Darwin)
/// The default transport of this platform.
public typealias DefaultTransport = CurlTransport
#else
/// The default transport of this platform.
public typealias DefaultTransport = URLSessionTransport
#endif
