#if Redis && !canImport(Darwin)
/// The changes of a frontier.
///
/// - `queue` is the stream of the requests that wait or are taken, `dead` that of those that have
///   failed for good, `later` the sorted set of those that wait for another attempt, by their times,
///   and `seen` the set of the digests of all requests.
/// - `state` is a hash: `id` (a name that shows whether it is still the same), `added`, `done`,
///   `dead`, `failed` (attempts), `taken` (takeovers), `closed`.
/// - An entry of the queue: `v` (the version of its format), `r` (the request), `a` (its failed attempts
///   before this entry). It is removed when it is acknowledged: what is in the queue has not ended.
/// - The deliveries that the server counts for an entry are attempts, too: none for one that is delivered, one
///   more when its worker confirms it.
extension RedisScript {
  static let frontier = [
    hello, frontierAdd, frontierClose, frontierRemove, frontierProgress, frontierTurn,
  ]
  static let frontierAdd = RedisScript(functions + addSource)
  static let frontierClose = RedisScript(functions + closeSource)
  static let frontierRemove = RedisScript("return redis.call('UNLINK', unpack(KEYS))")
  static let frontierProgress = RedisScript(functions + progressSource)
  static let frontierTurn = RedisScript(functions + turnSource)

  private static let functions = """
    local queue, state, dead, later, seen = unpack(KEYS)
    local function begin(id)
      if redis.call('HSETNX', state, 'id', id) == 1 then
        redis.call('UNLINK', queue, dead, later, seen)
        redis.call('XGROUP', 'CREATE', queue, 'workers', '0', 'MKSTREAM')
      end
    end
    local function totals()
      local found = redis.call('HMGET', state, 'added', 'done', 'dead', 'closed')
      for i = 1, 4 do found[i] = tonumber(found[i] or '0') end
      return found
    end
    local function hasEnded(found)
      return found[4] == 1 and found[1] <= found[2] + found[3]
    end

    """

  // ARGV: id; then for each request its digest and its body. Returns the number of new ones, -1 if the
  // frontier has ended.
  private static let addSource = """
    begin(ARGV[1])
    local count = 0
    local ended = hasEnded(totals())
    for i = 2, #ARGV, 2 do
      if ended then
        if redis.call('SISMEMBER', seen, ARGV[i]) == 0 then return -1 end
      elseif redis.call('SADD', seen, ARGV[i]) == 1 then
        redis.call('XADD', queue, '*', 'v', '1', 'r', ARGV[i + 1], 'a', '0')
        count = count + 1
      end
    end
    if count > 0 then redis.call('HINCRBY', state, 'added', count) end
    return count
    """

  // ARGV: id.
  private static let closeSource = """
    begin(ARGV[1])
    return redis.call('HSET', state, 'closed', '1')
    """

  // Returns the totals, the failed attempts, the takeovers, the number of entries that are taken, and the id.
  private static let progressSource = """
    local found = totals()
    found[5] = tonumber(redis.call('HGET', state, 'failed') or '0')
    found[6] = tonumber(redis.call('HGET', state, 'taken') or '0')
    found[7] = 0
    if redis.call('EXISTS', queue) == 1 then
      found[7] = redis.call('XPENDING', queue, 'workers')[1]
    end
    found[8] = redis.call('HGET', state, 'id') or ''
    return found
    """

  // ARGV: a new id, the known id or empty, the worker, the number of wanted entries, the lease in
  // milliseconds, 1 if entries may be taken over, the place in the search for these, the limit of attempts,
  // the pause in milliseconds; the numbers of entries that are held, begun, done, failed, given back; 1 if the
  // worker leaves; then these entries: of begun ones with the deliveries that count from now on, of failed ones
  // with the reason, 1 if no further attempt follows, and the pause in milliseconds that the origin asks for;
  // of those given back with the deliveries that count.
  //
  // Returns false if the frontier is another one; else the id, 1 if it has ended, the next place, the
  // entries (id, version, request, deliveries that count so far).
  private static let turnSource = """
    local known, worker = ARGV[2], ARGV[3]
    local wanted, lease, limit = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[8])
    local id = redis.call('HGET', state, 'id')
    if known ~= '' and id ~= known then return {false} end
    -- A server without room refuses a script whose first write needs some, and what is done makes room.
    if not id then begin(ARGV[1]) end
    local time = redis.call('TIME')
    local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    local at = 16
    local function take()
      at = at + 1
      return ARGV[at - 1]
    end
    -- The number of deliveries of an entry, if it is this worker's.
    local function owned(entry)
      local found = redis.call('XPENDING', queue, 'workers', entry, entry, 1, worker)
      return found[1] and found[1][4]
    end
    -- Removes a worker that has no entries: with one, its entries would be lost.
    local function forget(name)
      if #redis.call('XPENDING', queue, 'workers', '-', '+', 1, name) == 0 then
        redis.call('XGROUP', 'DELCONSUMER', queue, 'workers', name)
      end
    end
    local function fields(entry)
      local found = redis.call('XRANGE', queue, entry, entry)
      local all = {}
      if found[1] then
        for i = 1, #found[1][2], 2 do all[found[1][2][i]] = found[1][2][i + 1] end
      end
      return all
    end
    local function drop(entry)
      local count = redis.call('XACK', queue, 'workers', entry)
      redis.call('XDEL', queue, entry)
      return count
    end
    local function bury(all, attempts, reason)
      redis.call('XADD', dead, '*', 'v', all['v'] or '', 'r', all['r'] or '', 'a', attempts, 'e', reason)
      redis.call('HINCRBY', state, 'dead', 1)
    end

    for i = 1, tonumber(ARGV[10]) do
      local entry = take()
      if owned(entry) then
        redis.call('XCLAIM', queue, 'workers', worker, 0, entry, 'JUSTID')
      end
    end
    for i = 1, tonumber(ARGV[11]) do
      local entry, deliveries = take(), take()
      if owned(entry) then
        redis.call('XCLAIM', queue, 'workers', worker, 0, entry, 'RETRYCOUNT', deliveries, 'JUSTID')
      end
    end
    for i = 1, tonumber(ARGV[12]) do
      -- Also from a worker that has lost it meanwhile: its response is stored.
      if drop(take()) == 1 then redis.call('HINCRBY', state, 'done', 1) end
    end
    for i = 1, tonumber(ARGV[13]) do
      local entry, reason, lasts, asked = take(), take(), take() == '1', tonumber(take())
      local deliveries = owned(entry)
      if deliveries then
        local all = fields(entry)
        local attempts = tonumber(all['a'] or '0') + deliveries
        drop(entry)
        redis.call('HINCRBY', state, 'failed', 1)
        if lasts or attempts >= limit or all['v'] ~= '1' then
          bury(all, attempts, reason)
        else
          local pause = math.max(asked, tonumber(ARGV[9]) * 2 ^ math.min(attempts - 1, 20))
          redis.call('ZADD', later, now + pause, attempts .. ' ' .. all['v'] .. ' ' .. all['r'])
        end
      end
    end
    for i = 1, tonumber(ARGV[14]) do
      local entry, deliveries = take(), take()
      if owned(entry) then
        local all = fields(entry)
        local attempts = tonumber(all['a'] or '0') + tonumber(deliveries)
        drop(entry)
        redis.call('XADD', queue, '*', 'v', all['v'] or '', 'r', all['r'] or '', 'a', attempts)
      end
    end

    for _, text in ipairs(redis.call('ZRANGEBYSCORE', later, '-inf', now, 'LIMIT', 0, 100)) do
      local attempts, version, request = string.match(text, '^(%d+) (%S+) (.*)$')
      redis.call('ZREM', later, text)
      redis.call('XADD', queue, '*', 'v', version, 'r', request, 'a', attempts)
    end

    local entries, place = {}, ARGV[7]
    local function give(entry, all, deliveries)
      entries[#entries + 1] = entry
      entries[#entries + 1] = all['v'] or ''
      entries[#entries + 1] = all['r'] or ''
      entries[#entries + 1] = deliveries
      wanted = wanted - 1
    end
    if wanted > 0 and ARGV[6] == '1' then
      local found = redis.call('XAUTOCLAIM', queue, 'workers', worker, lease, place, 'COUNT', wanted,
        'JUSTID')
      place = found[1]
      for _, entry in ipairs(found[2]) do
        local deliveries = owned(entry) or 0
        local all = fields(entry)
        local attempts = tonumber(all['a'] or '0') + deliveries
        redis.call('HINCRBY', state, 'taken', 1)
        if attempts >= limit then
          drop(entry)
          bury(all, attempts, 'its workers have not been heard of any more')
        else
          give(entry, all, deliveries)
        end
      end
      for _, found in ipairs(redis.call('XINFO', 'CONSUMERS', queue, 'workers')) do
        local other = {}
        for i = 1, #found, 2 do other[found[i]] = found[i + 1] end
        if other['name'] ~= worker and other['idle'] >= 2 * lease then forget(other['name']) end
      end
    end
    if wanted > 0 then
      local found = redis.call('XREADGROUP', 'GROUP', 'workers', worker, 'COUNT', wanted, 'STREAMS',
        queue, '>')
      for _, item in ipairs(found and found[1] and found[1][2] or {}) do
        local all = {}
        for i = 1, #item[2], 2 do all[item[2][i]] = item[2][i + 1] end
        redis.call('XCLAIM', queue, 'workers', worker, 0, item[1], 'RETRYCOUNT', 0, 'JUSTID')
        give(item[1], all, 0)
      end
    end
    local ended = hasEnded(totals())
    if ended or ARGV[15] == '1' then forget(worker) end
    return {redis.call('HGET', state, 'id'), ended and 1 or 0, place, entries}
    """
}
#endif
