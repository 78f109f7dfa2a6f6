/// The continuation of a waiting task, which must be resumed exactly once.
///
/// It is not a checked one, whose layout is only known at run time; so would be that of each state that
/// contains one, and of each waiting function that a lock around such a state is inlined into. That was
/// a twentieth of the overhead of an item of a batch.
typealias WaitContinuation = UnsafeContinuation<Void, Never>
