#if Redis && !canImport(Darwin)
/// The changes and lookups of a shared store.
///
/// - The control record is a hash: `run` (the start of the server), `g` (the generation), `s` (the salt),
///   `n` (the number of the last removal), `f` (that of the last one that was dropped), and a field for
///   each removal.
/// - An entry is a hash: `g`, `v` (its version), and for each variant
///   `h…` (the record) and `i…`: the number of the last removal before it was written, the time in
///   milliseconds after which it is of no use, the name, the chunks and the length of its body, its tags,
///   and the number of the newest lease under which it was written (`l:…`).
/// - A lease is a text: its number, a colon, the token of its owner (the number of the process, a point, a
///   random number), and a `w` if others wait for its end; or `-` for a response that is not
///   stored, so that nobody waits. Its numbers grow; the last one is in the control record (`l`).
/// - A withdrawal is a key for a token whose lease must not be granted any more.
/// - A rate is a hash: `t`, the time in microseconds at which its bucket is full but for the reserved tokens
///   (the generic cell rate algorithm), `u`, the time up to which the host asks to be left alone, `d`, the
///   sum of the microseconds by which reserved tokens were delayed for that, and `n`, the time of the last
///   change: if the clock is behind it, the clock was set back, and all times are with it.
/// - Everything depends on the control record: without it, or if it is damaged, nothing is found, whatever
///   the server has evicted or changed.
extension RedisScript {
  static let shared = [
    hello, read, write, drop, remove, changes, lease, renew, release, withdraw, reserve, refund,
    pause,
  ]
  static let hello = RedisScript(functions + helloSource)
  static let read = RedisScript(functions + readSource)
  static let write = RedisScript(functions + writeSource)
  static let drop = RedisScript(functions + dropSource)
  static let remove = RedisScript(functions + removeSource)
  static let changes = RedisScript(functions + changesSource)
  static let lease = RedisScript(functions + leaseSource)
  static let renew = RedisScript(functions + renewSource)
  static let release = RedisScript(functions + releaseSource)
  static let withdraw = RedisScript(functions + withdrawSource)
  static let reserve = RedisScript(functions + reserveSource)
  static let refund = RedisScript(functions + refundSource)
  static let pause = RedisScript(functions + pauseSource)

  private static let functions = """
    local function text(n) return string.format('%.0f', n) end
    local function number(value) return tonumber(value or '') or 0 end
    local function isNumber(value) return string.match(value or '', '^%d+$') and #value <= 16 end
    local function micros()
      local t = redis.call('TIME')
      return tonumber(t[1]) * 1000000 + tonumber(t[2])
    end
    -- A count of more than six digits is damaged, and counting to it would stop the server. The chunks of
    -- such a body expire by themselves.
    local function unlinkBody(bodies, info)
      local name, chunks = string.match(info, '^%S+ %S+ (%S+) (%d+)')
      if not name or #chunks > 6 then return end
      for chunk = 0, tonumber(chunks) - 1 do
        redis.call('UNLINK', bodies .. name .. ':' .. chunk)
      end
    end
    -- A key of another type is damaged, and removed; 'none' where there is no key.
    local function kind(entry)
      local found = redis.call('TYPE', entry).ok
      if found ~= 'hash' and found ~= 'none' then redis.call('UNLINK', entry) end
      return found
    end
    local function unlinkEntry(entry, bodies)
      if kind(entry) ~= 'hash' then return end
      local all = redis.call('HGETALL', entry)
      for i = 1, #all, 2 do
        if string.sub(all[i], 1, 1) == 'i' then unlinkBody(bodies, all[i + 1]) end
      end
      redis.call('UNLINK', entry)
    end
    -- Takes the values of the fields g, n and f of a control record.
    local function isControl(values)
      return not values.err and values[1] and isNumber(values[2])
        and (not values[3] or isNumber(values[3]))
    end
    -- A server that has become a replica refuses every change, also one that changes nothing. One that
    -- refuses changes for another reason, such as a full disk, can be read from.
    local function refuseReplica(control)
      local reply = redis.pcall('PERSIST', control)
      if type(reply) == 'table' and reply.err and string.find(reply.err, 'READONLY') then
        redis.call('PERSIST', control)
      end
    end
    local function markNumber(value)
      return value and tonumber(string.match(value, '^%S+')) or 0
    end
    local function rate(key)
      local now = micros()
      local found = redis.call('HMGET', key, 't', 'u', 'd', 'n')
      local full, till = tonumber(found[1] or '0'), tonumber(found[2] or '0')
      local ahead = tonumber(found[4] or '0') - now
      if ahead > 0 then
        full, till = math.max(0, full - ahead), math.max(0, till - ahead)
        redis.call('HSET', key, 't', text(full), 'u', text(till), 'n', text(now))
      end
      return now, full, till, found[3] or '0'
    end

    """

  // KEYS: control, log. ARGV: run, generation, salt.
  private static let helloSource = """
    refuseReplica(KEYS[1])
    local control = redis.pcall('HMGET', KEYS[1], 'g', 'n', 'f', 's', 'run')
    if not isControl(control) or not control[4] or control[5] ~= ARGV[1] then
      redis.call('UNLINK', KEYS[1], KEYS[2])
      redis.call('HSET', KEYS[1], 'run', ARGV[1], 'g', ARGV[2], 's', ARGV[3], 'n', text(micros()))
    end
    return redis.call('HMGET', KEYS[1], 'g', 's', 'n')
    """

  // KEYS: control, entry. ARGV: bodies, the URL in hexadecimal digits, the list of prefixes, marks…
  //
  // Returns the generation, the number, the version, the variants that are of use or damaged (id, info,
  // record), the first chunk of the body if there is one variant, and the time in microseconds. Where
  // `bodies` is empty, it returns no chunk and removes nothing but a key of another type.
  private static let readSource = """
    local names = {'g', 'n', 'f', ARGV[3]}
    for i = 4, #ARGV do names[#names + 1] = ARGV[i] end
    refuseReplica(KEYS[1])
    local control = redis.pcall('HMGET', KEYS[1], unpack(names))
    if not isControl(control) then return {false} end
    local removed = number(control[3])
    for i = 5, #control do removed = math.max(removed, markNumber(control[i])) end
    if control[4] then
      for number, prefix in string.gmatch(control[4], '(%d+) (%x+)') do
        if string.sub(ARGV[2], 1, #prefix) == prefix then
          removed = math.max(removed, tonumber(number))
        end
      end
    end
    local all = redis.pcall('HGETALL', KEYS[2])
    if all.err then
      kind(KEYS[2])
      all = {}
    end
    local entry = {}
    for i = 1, #all, 2 do entry[all[i]] = all[i + 1] end
    if #all > 0 and not entry['g'] and ARGV[1] ~= '' then unlinkEntry(KEYS[2], ARGV[1]) end
    local variants = {}
    local micros = micros()
    local now = micros / 1000
    local body = false
    if entry['g'] == control[1] then
      for name, info in pairs(entry) do
        if string.sub(name, 1, 1) == 'i' then
          local id = string.sub(name, 2)
          local written, useful, bodyName = string.match(info, '^(%d+) (%d+) (%S+) %d+ %d+')
          local last = removed
          for tag in string.gmatch(info, ' (r:%x+)') do
            last = math.max(last, markNumber(redis.call('HGET', KEYS[1], tag)))
          end
          if not written or last <= tonumber(written) and tonumber(useful) > now then
            variants[#variants + 1] = id
            variants[#variants + 1] = info
            variants[#variants + 1] = entry['h' .. id] or ''
            body = bodyName
          end
        end
      end
    end
    local chunk = false
    if #variants == 3 and ARGV[1] ~= '' and body then
      chunk = redis.pcall('GET', ARGV[1] .. body .. ':0')
      -- A key of another type is damaged.
      if type(chunk) ~= 'string' then chunk = false end
    end
    local version = entry['g'] == control[1] and entry['v'] or ''
    return {control[1], control[2], version, variants, chunk, text(micros)}
    """

  // KEYS: control, entry. ARGV: bodies, generation, version, asked, known, knownAt, milliseconds of use,
  // id, name of the body, chunks, length, record, body, counts of: removals, changes, tags, obsolete
  // variants; the number of the lease, or empty; then these.
  //
  // `asked` and `known` are numbers, or empty for a response that was made by hand. The body is empty if
  // its chunks are there already.
  private static let writeSource = """
    local control = redis.pcall('HMGET', KEYS[1], 'g', 'n', 'f')
    if not isControl(control) or control[1] ~= ARGV[2] then return {'generation'} end
    local asked, known, knownAt = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
    local counts, at = {}, 19
    for i = 1, 4 do counts[i] = tonumber(ARGV[13 + i]) end
    local forgotten = number(control[3])
    if asked and forgotten > asked or known and forgotten > known then return {'removed'} end
    local function take(count)
      local taken = {}
      for i = 1, count do taken[i] = ARGV[at]; at = at + 1 end
      return taken
    end
    for _, mark in ipairs(take(counts[1])) do
      if asked and markNumber(redis.call('HGET', KEYS[1], mark)) > asked then return {'removed'} end
    end
    for _, mark in ipairs(take(counts[2])) do
      local value = redis.call('HGET', KEYS[1], mark)
      if value then
        local time = tonumber(string.match(value, ' (%S+)$'))
        if known and markNumber(value) > known then return {'invalidated'} end
        if not known and time and knownAt < time then return {'invalidated'} end
      end
    end
    local tags, obsolete = take(counts[3]), take(counts[4])
    local stored = {false, false, false}
    if kind(KEYS[2]) == 'hash' then
      stored = redis.call('HMGET', KEYS[2], 'g', 'v', 'i' .. ARGV[8])
      if stored[1] ~= ARGV[2] then
        unlinkEntry(KEYS[2], ARGV[1])
        stored = {false, false, false}
      end
    end
    if (stored[2] or '') ~= ARGV[3] then return {'version'} end
    -- A process whose lease has ended does not replace what its successor has written.
    local fence = ARGV[18]
    local written = stored[3] and string.match(stored[3], ' l:(%d+)')
    if written and fence ~= '' and tonumber(fence) < tonumber(written) then return {'fenced'} end
    if fence == '' then fence = written or '' end
    local now = micros()
    local useful = math.floor(now / 1000) + tonumber(ARGV[7])
    local info = control[2] .. ' ' .. text(useful) .. ' ' .. ARGV[9] .. ' ' .. ARGV[10] .. ' '
      .. ARGV[11]
    for _, tag in ipairs(tags) do info = info .. ' ' .. tag end
    if fence ~= '' then info = info .. ' l:' .. fence end
    local chunks = tonumber(ARGV[10])
    if ARGV[13] == '' and tonumber(ARGV[11]) > 0 then
      for chunk = 0, chunks - 1 do
        if redis.call('EXISTS', ARGV[1] .. ARGV[9] .. ':' .. chunk) == 0 then return {'body'} end
      end
    end
    local version = text(math.max(now, number(stored[2]) + 1))
    -- The first write: where the server has no room, nothing at all happens.
    redis.call('HSET', KEYS[2], 'g', ARGV[2], 'v', version, 'h' .. ARGV[8], ARGV[12],
      'i' .. ARGV[8], info)
    if ARGV[13] ~= '' or tonumber(ARGV[11]) == 0 then
      redis.call('SET', ARGV[1] .. ARGV[9] .. ':0', ARGV[13], 'PX', ARGV[7])
    else
      for chunk = 0, chunks - 1 do
        redis.call('PEXPIRE', ARGV[1] .. ARGV[9] .. ':' .. chunk, ARGV[7])
      end
    end
    if stored[3] and string.match(stored[3], '^%S+ %S+ (%S+)') ~= ARGV[9] then
      unlinkBody(ARGV[1], stored[3])
    end
    for _, id in ipairs(obsolete) do
      local old = redis.call('HGET', KEYS[2], 'i' .. id)
      if old then unlinkBody(ARGV[1], old) end
      redis.call('HDEL', KEYS[2], 'i' .. id, 'h' .. id)
    end
    if redis.call('HLEN', KEYS[2]) > 130 then
      -- Twice as many variants as are used: those that have expired, and then those that were written
      -- before the most removals, are removed.
      local all, others = redis.call('HGETALL', KEYS[2]), {}
      for i = 1, #all, 2 do
        local id = string.match(all[i], '^i(.+)$')
        if id and id ~= ARGV[8] then
          local written, last = string.match(all[i + 1], '^(%S+) (%S+)')
          local rank = number(last) > now / 1000 and number(written) or 0
          others[#others + 1] = {id, rank, all[i + 1]}
        end
      end
      table.sort(others, function(a, b) return a[2] < b[2] end)
      for i = 1, #others - 32 do
        unlinkBody(ARGV[1], others[i][3])
        redis.call('HDEL', KEYS[2], 'i' .. others[i][1], 'h' .. others[i][1])
      end
    end
    if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[7]) then
      redis.call('PEXPIRE', KEYS[2], ARGV[7])
    end
    return {'written', control[2]}
    """

  // KEYS: entry. ARGV: bodies, id, name of the body, record; empty for any.
  private static let dropSource = """
    local found = kind(KEYS[1])
    if found ~= 'hash' then return found == 'none' and 0 or 1 end
    local info = redis.call('HGET', KEYS[1], 'i' .. ARGV[2])
    if not info then return 0 end
    if ARGV[3] ~= '' and string.match(info, '^%S+ %S+ (%S+)') ~= ARGV[3] then return 0 end
    if ARGV[4] ~= '' and redis.call('HGET', KEYS[1], 'h' .. ARGV[2]) ~= ARGV[4] then return 0 end
    unlinkBody(ARGV[1], info)
    redis.call('HDEL', KEYS[1], 'i' .. ARGV[2], 'h' .. ARGV[2])
    local version = number(redis.call('HGET', KEYS[1], 'v'))
    redis.call('HSET', KEYS[1], 'v', text(math.max(micros(), version + 1)))
    return 1
    """

  // KEYS: control, log, entry if there is one. ARGV: bodies, channel, run, generation, salt, sender, kind,
  // text, time, list of prefixes, prefix, marks…
  //
  // Where there is no room for a mark, the control record is removed, and everything with it.
  private static let removeSource = """
    if KEYS[3] then unlinkEntry(KEYS[3], ARGV[1]) end
    local function note()
      local control = redis.call('HMGET', KEYS[1], 'g', 'n')
      if not control[1] then
        redis.call('HSET', KEYS[1], 'run', ARGV[3], 'g', ARGV[4], 's', ARGV[5], 'n', text(micros()))
        redis.call('UNLINK', KEYS[2])
        control = redis.call('HMGET', KEYS[1], 'g', 'n')
      end
      local last = tonumber(control[2])
      local number = math.max(last + 1, micros())
      redis.call('HSET', KEYS[1], 'n', text(number))
      for i = 12, #ARGV do
        local time = tonumber(ARGV[9])
        local old = redis.call('HGET', KEYS[1], ARGV[i])
        local oldTime = old and tonumber(string.match(old, ' (%S+)$'))
        if time and oldTime and oldTime > time and oldTime - time < 86400 then time = oldTime end
        local value = text(number)
        if time then value = value .. ' ' .. string.format('%.6f', time) end
        redis.call('HSET', KEYS[1], ARGV[i], value)
      end
      if ARGV[11] ~= '' then
        local list, count = '', 0
        for old, prefix in string.gmatch(redis.call('HGET', KEYS[1], ARGV[10]) or '', '(%d+) (%x+)') do
          if prefix ~= ARGV[11] then
            list = list .. old .. ' ' .. prefix .. ';'
            count = count + 1
          end
        end
        if count >= 32 then
          -- Too many to compare with each lookup: the whole partition is removed.
          redis.call('HDEL', KEYS[1], ARGV[10])
          redis.call('HSET', KEYS[1], 'w' .. string.sub(ARGV[10], 2), text(number))
        else
          redis.call('HSET', KEYS[1], ARGV[10], list .. text(number) .. ' ' .. ARGV[11] .. ';')
        end
      end
      if redis.call('HLEN', KEYS[1]) > 4200 then
        local all, marks = redis.call('HGETALL', KEYS[1]), {}
        for i = 1, #all, 2 do
          if string.match(all[i], '^[riwp]:') then
            -- Of a list the number of its last prefix.
            local newest = tonumber(string.match(all[i + 1], '(%d+) %x+;$'))
            marks[#marks + 1] = {all[i], newest or markNumber(all[i + 1])}
          end
        end
        table.sort(marks, function(a, b) return a[2] < b[2] end)
        for i = 1, math.floor(#marks / 2) do
          redis.call('HDEL', KEYS[1], marks[i][1])
          redis.call('HSET', KEYS[1], 'f', text(marks[i][2]))
        end
      end
      return last, number
    end
    local isNoted, last, number = pcall(note)
    local kind, what = ARGV[7], ARGV[8]
    if not isNoted then
      redis.call('UNLINK', KEYS[1], KEYS[2])
      last, number, kind, what = 0, micros(), 'missed', ''
    end
    local message = text(number) .. ' ' .. text(last) .. ' ' .. ARGV[6] .. ' ' .. kind .. ' '
      .. (ARGV[9] == '' and '0' or ARGV[9]) .. ' ' .. what
    local isLogged = pcall(redis.call, 'XADD', KEYS[2], 'MAXLEN', '~', '1024', text(number) .. '-0',
      'm', message)
    if not isLogged then redis.call('UNLINK', KEYS[2]) end
    redis.call('PUBLISH', ARGV[2], message)
    return {isNoted and 1 or 0, text(number)}
    """

  // KEYS: control, log. ARGV: number.
  //
  // Returns the generation, the number, and the messages after the given number.
  private static let changesSource = """
    refuseReplica(KEYS[1])
    local control = redis.call('HMGET', KEYS[1], 'g', 'n')
    if not control[1] then return {false} end
    local messages = {}
    if ARGV[1] ~= '' and control[2] ~= ARGV[1] then
      for _, found in ipairs(redis.call('XRANGE', KEYS[2], '(' .. ARGV[1] .. '-0', '+')) do
        messages[#messages + 1] = found[2][2]
      end
    end
    return {control[1], control[2], messages}
    """

  // KEYS: control, lease, withdrawal. ARGV: milliseconds, token.
  //
  // Returns 1 and the number of the new lease; or 0, the number of the present one, whose end is told from
  // now on, and the milliseconds that it has left; or -1 if nobody has to wait.
  private static let leaseSource = """
    local held = redis.call('GET', KEYS[2])
    if held == '-' or redis.call('EXISTS', KEYS[3]) == 1 then return {-1, 0, 0} end
    if held then
      if string.sub(held, -1) ~= 'w' then
        redis.call('SET', KEYS[2], held .. 'w', 'KEEPTTL')
      end
      return {0, string.match(held, '^%d+'), redis.call('PTTL', KEYS[2])}
    end
    local last = redis.call('HMGET', KEYS[1], 'g', 'l')
    -- Without the control record, nothing could be stored.
    if not last[1] then return {-1, 0, 0} end
    local number = text(math.max(micros(), number(last[2]) + 1))
    redis.call('HSET', KEYS[1], 'l', number)
    redis.call('SET', KEYS[2], number .. ':' .. ARGV[2], 'PX', ARGV[1])
    return {1, number, ARGV[1]}
    """

  // KEYS: lease. ARGV: number, milliseconds.
  private static let renewSource = """
    local held = redis.call('GET', KEYS[1])
    if not held or string.match(held, '^%d+') ~= ARGV[1] then return 0 end
    return redis.call('PEXPIRE', KEYS[1], ARGV[2])
    """

  // KEYS: lease. ARGV: number, channel, message, milliseconds in which nobody has to wait.
  private static let releaseSource = """
    local held = redis.call('GET', KEYS[1])
    if not held or string.match(held, '^%d+') ~= ARGV[1] then return 0 end
    -- First: it is executed by a server without room, too.
    redis.call('DEL', KEYS[1])
    if ARGV[4] ~= '0' then redis.pcall('SET', KEYS[1], '-', 'PX', ARGV[4]) end
    if string.sub(held, -1) == 'w' then redis.call('PUBLISH', ARGV[2], ARGV[3]) end
    return 1
    """

  // KEYS: lease, withdrawal. ARGV: token, milliseconds, channel, message.
  //
  // Gives back what the server has granted, or may still grant, to somebody who has not heard of it.
  private static let withdrawSource = """
    local held = redis.call('GET', KEYS[1])
    if held and string.match(held, '^%d+:([.%x]+)') == ARGV[1] then
      redis.call('DEL', KEYS[1])
      if string.sub(held, -1) == 'w' then redis.call('PUBLISH', ARGV[3], ARGV[4]) end
      return 1
    end
    redis.pcall('SET', KEYS[2], '', 'PX', ARGV[2])
    return 0
    """

  // KEYS: rate. ARGV: microseconds for a token, tokens in a full bucket, the longest wait in microseconds.
  //
  // Reserves a token, and returns the microseconds until it may be used, and the sum of the delays so far;
  // reserves none if that is longer than the longest wait.
  private static let reserveSource = """
    local interval = tonumber(ARGV[1])
    local now, full, till, delay = rate(KEYS[1])
    full = math.max(full, now, till) + interval
    local wait = math.max(0, full - interval * tonumber(ARGV[2]) - now, till - now)
    if wait > tonumber(ARGV[3]) then return {0, text(wait), '0'} end
    redis.call('HSET', KEYS[1], 't', text(full), 'n', text(now))
    local rest = math.ceil((full - now) / 1000) + 1000
    if redis.call('PTTL', KEYS[1]) < rest then redis.call('PEXPIRE', KEYS[1], text(rest)) end
    return {1, text(wait), delay}
    """

  // KEYS: rate. ARGV: microseconds for a token.
  private static let refundSource = """
    local full = redis.call('HGET', KEYS[1], 't')
    if full then redis.call('HSET', KEYS[1], 't', text(tonumber(full) - tonumber(ARGV[1]))) end
    return 1
    """

  // KEYS: rate. ARGV: microseconds, or 0 to ask only.
  //
  // Delays the reserved tokens by the pause, unless one that ends later does already. Returns the sum of the
  // delays.
  private static let pauseSource = """
    if ARGV[1] == '0' then return redis.call('HGET', KEYS[1], 'd') or '0' end
    local now, full, old, delay = rate(KEYS[1])
    old = math.max(old, now)
    local till = math.max(old, now + tonumber(ARGV[1]))
    if full > now then full = full + till - old end
    delay = text(tonumber(delay) + till - old)
    redis.call('HSET', KEYS[1], 't', text(full), 'u', text(till), 'd', delay, 'n', text(now))
    local rest = math.ceil((math.max(full, till) - now) / 1000) + 1000
    if redis.call('PTTL', KEYS[1]) < rest then redis.call('PEXPIRE', KEYS[1], text(rest)) end
    return delay
    """
}
#endif
