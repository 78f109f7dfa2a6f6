import Foundation

extension ResourceSequence {
  /// The copy in memory, if memory is asked first and no stage has anything to do with the copy.
  ///
  /// The stages would do the same. What is no hit is left to them from the beginning: a flight may
  /// have landed meanwhile, and only they look for that.
  func hit() throws(FreshetError) -> Resource? {
    guard !Task.isCancelled else { throw .cancelled }
    let configuration = client.settings.configuration
    guard policy.network != .required, policy.expected == nil, configuration.seeds == nil,
      let memory = configuration.memory
    else { return nil }
    let response = memory.peek(context.key, for: context.request.headers)
    guard case .found(let found) = Fetch.Wanted(context).lookedUp(response, in: .memory),
      case .resource(let resource) = found.checked(
        policy.expiry,
        limits: policy.staleLimits,
        now: configuration.now()
      )
    else { return nil }
    return resource.answer
  }
}
