// hiredis connects and reads the protocol. TLS is OpenSSL's beneath it: the hiredis of Debian 12 comes
// without hiredis_ssl.
#pragma once
#include <hiredis/hiredis.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/eventfd.h>

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
