// hiredis connects and reads the protocol. TLS is OpenSSL's beneath it: the hiredis of Debian 12 comes
// without hiredis_ssl.
#pragma once
#include <hiredis/hiredis.h>
#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/eventfd.h>

#if HIREDIS_MAJOR < 1
typedef int freshet_element_count;
#else
typedef size_t freshet_element_count;
#endif

// The functions by which a reader makes replies, and the number of elements that it may still make.
typedef struct {
  redisReplyObjectFunctions own;
  redisReplyObjectFunctions *usual;
  long long elements_left;
} freshet_reply_limit;

// Refuses an array of more elements than are left, because hiredis reserves memory for all of them at once,
// and one within more than seven others: replies are read and freed recursively.
static inline void *freshet_make_array(const redisReadTask *task, freshet_element_count count) {
  freshet_reply_limit *limit = (freshet_reply_limit *)task->privdata;
  if ((long long)count < 0 || (long long)count > limit->elements_left) return NULL;
  int depth = 0;
  for (const redisReadTask *outer = task->parent; outer; outer = outer->parent) {
    if (++depth > 7) return NULL;
  }
  limit->elements_left -= (long long)count;
  return limit->usual->createArray(task, count);
}

// Has a reader use a limit, which has to outlive it.
static inline void freshet_limit_replies(redisReader *reader, freshet_reply_limit *limit) {
  limit->own = *reader->fn;
  limit->own.createArray = freshet_make_array;
  limit->usual = reader->fn;
  reader->fn = &limit->own;
  reader->privdata = limit;
}

// Names the server, and has its certificate compared with that name or address.
static inline int freshet_tls_expect(SSL *ssl, const char *host, int is_verified) {
  X509_VERIFY_PARAM *parameters = SSL_get0_param(ssl);
  int is_address = X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1;
  if (!is_address) {
    if (SSL_set_tlsext_host_name(ssl, host) != 1) return 0;
    if (SSL_set1_host(ssl, host) != 1) return 0;
  }
  SSL_set_verify(ssl, is_verified ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
  return 1;
}

static inline void freshet_tls_allow_partial_writes(SSL_CTX *context) {
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}
