#if !canImport(Darwin)
import CCurl

extension CurlHandle {
  /// Sets the callbacks, whose last argument is the handle or its loop.
  func setCallbacks() {
    set(CURLOPT_ERRORBUFFER, pointer: message)
    let me = Unmanaged.passUnretained(self).toOpaque()
    set(CURLOPT_PRIVATE, pointer: me)
    freshet_easy_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      CurlHandle.from(context)?
        .receive(line: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    set(CURLOPT_HEADERDATA, pointer: me)
    freshet_easy_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      CurlHandle.from(context)?
        .receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    set(CURLOPT_WRITEDATA, pointer: me)
    freshet_easy_set_data_callback(easy, CURLOPT_READFUNCTION) { bytes, size, count, context in
      CurlHandle.from(context)?
        .send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        ?? Int(CURL_READFUNC_ABORT)
    }
    set(CURLOPT_READDATA, pointer: me)
    freshet_easy_set_seek_callback(easy) { context, offset, origin in
      guard origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
      return Int32(CurlHandle.from(context)?.rewind(to: Int64(offset)) ?? 1)
    }
    set(CURLOPT_SEEKDATA, pointer: me)
    freshet_easy_set_start_callback(easy) { context, remote, local, remotePort, localPort in
      guard let handle = CurlHandle.from(context), let remote, let local else {
        return CURL_PREREQFUNC_OK
      }
      let key = CurlConnectionKey(remote: remote, remotePort, local: local, localPort)
      return handle.mayStart(over: key) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
    set(CURLOPT_PREREQDATA, pointer: me)
    setWordCallback()
    set(CURLOPT_DEBUGDATA, pointer: me)
    loop.setSocketCallbacks(of: self)
  }

  /// Returns the handle that owns an easy handle of libcurl.
  static func of(_ easy: UnsafeMutableRawPointer?) -> CurlHandle? {
    var context: UnsafeMutableRawPointer?
    freshet_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
    return from(context)
  }

  static func from(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
    context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
  }
}
#endif
