import Foundation
import Synchronization

#if !canImport(Darwin)
import CCurl
#endif

/// What a piece of work costs: time, CPU time of this process and of those it waited for, and
/// context switches.
final class Meter: Sendable {
  struct Sample: Sendable {
    var seconds = 0.0
    var cpu = 0.0
    var switches = 0
  }

  private struct State {
    var start = Meter.now
    var end: Sample?
  }

  private let state = Mutex(State())

  /// Begins again, after preparations.
  func restart() {
    state.withLock { $0 = State() }
  }

  /// Ends, before something is cleared away; only the first time counts.
  func stop() {
    let now = Self.now
    state.withLock { state in
      if state.end == nil { state.end = now }
    }
  }

  /// Takes the word of another program for the time.
  func set(seconds: Double) {
    state.withLock { state in
      var end = state.start
      end.seconds += seconds
      state.end = end
    }
  }

  var sample: Sample {
    stop()
    return state.withLock { state in
      let end = state.end ?? state.start
      return Sample(
        seconds: end.seconds - state.start.seconds,
        cpu: end.cpu - state.start.cpu,
        switches: end.switches - state.start.switches
      )
    }
  }

  private static var now: Sample {
    var sample = Sample()
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    sample.seconds = Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    for who in whose {
      var usage = rusage()
      getrusage(who, &usage)
      sample.cpu += seconds(usage.ru_utime) + seconds(usage.ru_stime)
      sample.switches += Int(usage.ru_nvcsw + usage.ru_nivcsw)
    }
    return sample
  }

  #if !canImport(Darwin)
  private static let whose = [Int32(RUSAGE_SELF.rawValue), Int32(RUSAGE_CHILDREN.rawValue)]
  #else
  private static let whose = [RUSAGE_SELF, RUSAGE_CHILDREN]
  #endif

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) * 1e-6
  }

  #if !canImport(Darwin)
  /// The CPU time of the threads of all event loops, in seconds.
  static var loopSeconds: Double {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.reduce(0) { sum, task in
      let folder = "/proc/self/task/\(task)"
      let name = try? String(contentsOfFile: "\(folder)/comm", encoding: .utf8)
      guard name == "freshet\n" else { return sum }
      let times = try? String(contentsOfFile: "\(folder)/schedstat", encoding: .utf8)
      let time = times?.split(separator: " ").first.flatMap { Double($0) } ?? 0
      return sum + time * 1e-9
    }
  }
  #endif

  /// The high-water mark of this process's resident size in KiB; 0 where there is no `/proc`.
  static var peak: Int { status("VmHWM:") }

  /// The resident size of this process in KiB; 0 where there is no `/proc`.
  static var resident: Int { status("VmRSS:") }

  private static func status(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
