#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Returns the processor's time of this thread for some work, which a busy machine lengthens little.
package func threadTime(of work: () throws -> Void) rethrows -> Duration {
  let began = threadTime()
  try work()
  return threadTime() - began
}

/// Returns the time that the current thread has computed so far.
package func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
