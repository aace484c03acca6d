import { errors } from 'undici';
import { oneLine } from '../contract/one-line.ts';
import type { Failure } from './exchange.ts';

/** Codes of sockets, of undici, and of OpenSSL's certificate checks as `tls.TLSSocket` reports them. */
const kinds: readonly (readonly [kind: Failure['kind'], codes: RegExp])[] = [
  ['refused', /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/],
  ['timeout', /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/],
  ['closed', /^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|HPE_INVALID_EOF_STATE)$/],
  ['closed', /^ERR_(HTTP2_(STREAM|SESSION)_ERROR|STREAM_PREMATURE_CLOSE)$/],
  // Usually, the connection ended within the body of a response with `Connection: close`.
  ['closed', /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH$/],
  ['too-large', /^UND_ERR_(RES_EXCEEDED_MAX_SIZE|HEADERS_OVERFLOW)$/],
  ['aborted', /^UND_ERR_(ABORTED|CLOSED|DESTROYED)$/],
  ['tls', /^(EPROTO$|ERR_TLS|ERR_SSL|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA)/],
  ['tls', /^(INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_)/],
];

/** An error of a socket or of undici as a failure; its message is one line. */
export function toFailure(error: unknown): Failure {
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : '';
  const refusal = /^Proxy .*\((\d{3})\)/.exec(message)?.[1];
  if (refusal !== undefined) return { kind: 'refused', message: `answered ${refusal} (PROXY_REFUSED)` };
  if (code !== undefined && /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(code))
    return { kind: 'tls', message: `the server supports no TLS version from 1.2 on (${code})` };
  return { kind: kindOf(code, error), message: messageOf(code, error) };
}

function kindOf(code: string | undefined, error: unknown): Failure['kind'] {
  // undici reports what it can't read, such as a switch of protocols, as a socket error with these messages.
  if (error instanceof Error && /^bad (response|upgrade)$/.test(error.message)) return 'malformed';
  if (error instanceof errors.HTTPParserError && code !== 'HPE_INVALID_EOF_STATE') return 'malformed';
  const [kind] = kinds.find(([, codes]) => code !== undefined && codes.test(code)) ?? [];
  return kind ?? 'unknown';
}

/** The error's code; an AggregateError (all addresses of a name tried) has that of its first. */
function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return error.cause === undefined ? undefined : errorCode(error.cause);
}

function messageOf(code: string | undefined, error: unknown): string {
  const cause = error instanceof AggregateError && error.message === '' ? error.errors[0] : error;
  const message = oneLine(cause);
  if (code === undefined || message.includes(code)) return message;
  return message === '' ? code : `${message} (${code})`;
}
