import { isObject, type JsonObject } from '../../contract/json.ts';
import type { Call } from '../../fake/call.ts';
import { parseJson } from '../../fake/json.ts';
import type { Rules } from '../../fake/rules.ts';

/** True for the requests at which a fault shows. */
export type Where = (call: Call) => boolean;

export const everywhere: Where = () => true;
export const onGet: Where = ({ method }) => method === 'GET';
export const onPut: Where = ({ method }) => method === 'PUT';
export const onDelete: Where = ({ method }) => method === 'DELETE';
export const onExperiments: Where = ({ operation }) => operation?.id === 'listExperiments';
export const onVersions: Where = ({ operation }) => operation?.id === 'listActionVersions';
export const onCustomText: Where = ({ operation }) => operation?.id === 'getSelfServiceProfileCustomText';
export const asJson: Where = ({ mediaType }) => mediaType === 'application/json';
export const asForm: Where = ({ mediaType }) => mediaType === 'application/x-www-form-urlencoded';

/** Claims that permit the operation of this request for a day. */
export function permitting(call: Call, rules: Rules): JsonObject {
  const scopes = call.operation ? rules.scopes.required(call.operation, call) : [];
  return {
    sub: 'anonymous',
    exp: Math.floor(call.now / 1000) + 86_400,
    scopes: Object.fromEntries(scopes.map(({ resource, verb }) => [resource, { actions: [verb] }])),
  };
}

/** The JOSE header of a compact token as far as it can be read; empty where it can't. */
export function headerOf(token: string): JsonObject {
  const [header = ''] = token.split('.');
  const value = parseJson(Buffer.from(header, 'base64url').toString());
  return isObject(value) ? value : {};
}
