/// A transport around another one, to which it forwards what it does not change.
protocol TransportDecorator: Transport {
  var base: any Transport { get }
}

extension TransportDecorator {
  func addedFields(for request: Request) -> HTTPHeaders {
    base.addedFields(for: request)
  }

  func closeIdleConnections() async {
    await base.closeIdleConnections()
  }
}
