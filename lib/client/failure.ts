import { errors } from 'undici';
import type { Failure } from './exchange.ts';

const kinds: ReadonlyMap<string, Failure['kind']> = new Map([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'refused'],
  ['EAI_AGAIN', 'refused'],
  ['EHOSTUNREACH', 'refused'],
  ['ENETUNREACH', 'refused'],
  ['EADDRNOTAVAIL', 'refused'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'closed'],
  ['ECONNABORTED', 'closed'],
  ['EPIPE', 'closed'],
  ['UND_ERR_SOCKET', 'closed'],
  ['HPE_INVALID_EOF_STATE', 'closed'],
  ['ERR_HTTP2_STREAM_ERROR', 'closed'],
  ['ERR_HTTP2_SESSION_ERROR', 'closed'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'malformed'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'too-large'],
  ['UND_ERR_HEADERS_OVERFLOW', 'too-large'],
  ['UND_ERR_ABORTED', 'aborted'],
  ['UND_ERR_CLOSED', 'aborted'],
  ['UND_ERR_DESTROYED', 'aborted'],
  ['EPROTO', 'tls'],
]);

/** Codes of OpenSSL's certificate checks, as `tls.TLSSocket` reports them, and of Node's own. */
const tlsCode =
  /^(ERR_TLS|ERR_SSL|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_)/;

/** An error of a socket or of undici as a failure; its message is one line. */
export function toFailure(error: unknown): Failure {
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : '';
  const refusal = /^Proxy .*\((\d{3})\)/.exec(message)?.[1];
  if (refusal !== undefined) return { kind: 'refused', message: `answered ${refusal} (PROXY_REFUSED)` };
  if (code !== undefined && /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(code))
    return { kind: 'tls', message: `the server supports no TLS version from 1.2 on (${code})` };
  return { kind: kindOf(code, error), message: line(code, error) };
}

function kindOf(code: string | undefined, error: unknown): Failure['kind'] {
  // undici reports what it can't read, such as a switch of protocols, as a socket error with these messages.
  if (error instanceof Error && /^bad (response|upgrade)$/.test(error.message)) return 'malformed';
  if (error instanceof errors.HTTPParserError && code !== 'HPE_INVALID_EOF_STATE') return 'malformed';
  if (code === undefined) return 'unknown';
  const kind = kinds.get(code);
  if (kind !== undefined) return kind;
  if (tlsCode.test(code)) return 'tls';
  return 'unknown';
}

/** The error's code; an AggregateError (all addresses of a name tried) has that of its first. */
function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return errorCode(error.errors[0]);
  return error.cause === undefined ? undefined : errorCode(error.cause);
}

function line(code: string | undefined, error: unknown): string {
  const cause = error instanceof AggregateError && error.message === '' ? error.errors[0] : error;
  const message = (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, ' ').trim();
  if (code === undefined || message.includes(code)) return message;
  return message === '' ? code : `${message} (${code})`;
}
