extension Client.Configuration {
  /// The transport, behind the scheduler.
  var scheduledTransport: any Transport {
    ScheduledTransport(base: transport, scheduler: scheduler)
  }
}
