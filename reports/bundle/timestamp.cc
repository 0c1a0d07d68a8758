#include "reports/bundle/timestamp.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pkcs7.h>
#include <openssl/ts.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

struct FreeTimestampParts {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(TS_RESP* answer) const { TS_RESP_free(answer); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(STACK_OF(X509) * certificates) const { sk_X509_free(certificates); }
};
template <class Object>
using Owned = std::unique_ptr<Object, FreeTimestampParts>;

std::string hex_text(const unsigned char* bytes, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

// "" where the time cannot be read.
std::string utc_of(const ASN1_GENERALIZEDTIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return "";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string subject_of(X509* certificate) {
  const Owned<BIO> text(BIO_new(BIO_s_mem()));
  if (!text || X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_ONELINE) < 0)
    return "";
  char* start = nullptr;
  const long size = BIO_get_mem_data(text.get(), &start);
  return one_line(std::string_view(start, static_cast<std::size_t>(size)));
}

bool is_granted(TS_RESP* answer) {
  const long status = ASN1_INTEGER_get(TS_STATUS_INFO_get0_status(TS_RESP_get_status_info(answer)));
  return status == TS_STATUS_GRANTED || status == TS_STATUS_GRANTED_WITH_MODS;
}

// Returns whether the stamp is of this digest by SHA-256.
bool is_of_digest(TS_TST_INFO* info, const std::string& digest) {
  TS_MSG_IMPRINT* const imprint = TS_TST_INFO_get_msg_imprint(info);
  const ASN1_OBJECT* algorithm = nullptr;
  X509_ALGOR_get0(&algorithm, nullptr, nullptr, TS_MSG_IMPRINT_get_algo(imprint));
  ASN1_OCTET_STRING* const bytes = TS_MSG_IMPRINT_get_msg(imprint);
  return OBJ_obj2nid(algorithm) == NID_sha256 &&
         hex_text(ASN1_STRING_get0_data(bytes), ASN1_STRING_length(bytes)) == digest;
}

// Checks the signature against the certificate inside, and that against the user's if there are any.
void check_signer(PKCS7* token, const std::optional<std::filesystem::path>& ca_file, TimestampCheck& check) {
  const Owned<STACK_OF(X509)> signers(PKCS7_get0_signers(token, nullptr, 0));
  if (!signers || sk_X509_num(signers.get()) != 1) {
    check.problem = "does not hold the certificate of one signer (openssl ts -query -cert asks for it)";
    return;
  }
  check.authority = subject_of(sk_X509_value(signers.get(), 0));
  const Owned<BIO> content(BIO_new(BIO_s_mem()));
  if (PKCS7_verify(token, nullptr, nullptr, nullptr, content.get(), PKCS7_NOVERIFY) != 1) {
    check.problem = "has a signature that does not hold";
    return;
  }
  if (!ca_file) return;
  const Owned<X509_STORE> store(X509_STORE_new());
  if (!store || X509_STORE_load_locations(store.get(), ca_file->c_str(), nullptr) != 1)
    throw Error(ErrorKind::input, fmt::format("{}: holds no certificates in PEM form", ca_file->string()),
                ca_file->string());
  X509* signer = nullptr;
  if (TS_RESP_verify_signature(token, nullptr, store.get(), &signer) != 1)
    check.problem = fmt::format("is signed by a certificate that {} does not lead to", ca_file->string());
  else
    check.certificate_checked = true;
  const Owned<X509> owned(signer);
}

}  // namespace

TimestampCheck check_timestamp(std::string_view answer, const std::string& digest,
                               const std::optional<std::filesystem::path>& ca_file) {
  TimestampCheck check;
  const auto* bytes = reinterpret_cast<const unsigned char*>(answer.data());
  const Owned<TS_RESP> response(d2i_TS_RESP(nullptr, &bytes, static_cast<long>(answer.size())));
  const bool whole =
      response && bytes == reinterpret_cast<const unsigned char*>(answer.data()) + answer.size();
  if (!whole || !is_granted(response.get()) || TS_RESP_get_token(response.get()) == nullptr ||
      TS_RESP_get_tst_info(response.get()) == nullptr) {
    check.problem = "is no granted answer of a time-stamping authority (RFC 3161)";
  } else if (!is_of_digest(TS_RESP_get_tst_info(response.get()), digest)) {
    check.problem = "is not of this bundle's digest " + digest;
  } else {
    check.utc = utc_of(TS_TST_INFO_get_time(TS_RESP_get_tst_info(response.get())));
    if (check.utc.empty()) check.problem = "has no time";
    if (check.problem.empty()) check_signer(TS_RESP_get_token(response.get()), ca_file, check);
  }
  ERR_clear_error();
  return check;
}

}  // namespace aqbench
