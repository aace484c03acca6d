import { fileURLToPath } from 'node:url';
import type { OpenAPIV3_1 } from 'openapi-types';
import { buildContract } from './build.ts';
import { readDocument, shippedFile } from './document.ts';
import { isObject } from './json.ts';
import type { Contract } from './model.ts';
import { upgraded } from './upgrade.ts';
import { checkSchemas } from './validation.ts';

/** Thrown if a contract cannot be used. The message is one line with the reason. */
export class ContractError extends Error {
  override name = 'ContractError';
}

/** How a document is loaded. */
export interface LoadOptions {
  /** Whether to fetch references to http and https URLs, which are errors otherwise. Files are always read. */
  readonly fetchRefs?: boolean;
}

/** The file of the contract that ships with the suite. */
export const contractFile = fileURLToPath(shippedFile('fixtures/openapi.yaml'));

/**
 * Reads an OpenAPI 3.1 or 3.0 document (YAML or JSON), checks it and builds the model.
 * @param file path of the document; default: the shipped contract
 * @throws ContractError for a file that can't be read, isn't OpenAPI 3, or breaks its conventions
 */
export async function loadContract(
  file: string = contractFile,
  { fetchRefs = false }: LoadOptions = {},
): Promise<Contract> {
  if (file === contractFile) return shippedContract();
  try {
    const read = openApi3(readDocument(file));
    const upgrade = (document: unknown) => openApi3(upgraded(document, read.openapi.startsWith('3.1')));
    const document = upgrade(read);
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"#][^"]*)/g)].map(([, ref = '']) => ref);
    const whole = refs.length === 0 ? document : upgrade(await bundled(file, document, refs, fetchRefs));
    checkSchemas(whole);
    return buildContract(whole, shippedDocument());
  } catch (error) {
    if (error instanceof ContractError) throw error;
    throw new ContractError(`${file}: ${firstLines(error)}`);
  }
}

/** Built once per process, because it is never changed. */
let shipped: Contract | undefined;

/** The contract that ships with the suite. */
export function shippedContract(): Contract {
  if (shipped !== undefined) return shipped;
  const document = shippedDocument();
  shipped = buildContract(document, document);
  return shipped;
}

function shippedDocument(): OpenAPIV3_1.Document {
  return openApi3(readDocument(contractFile));
}

/** The document with the targets of these references, which are in other files or at URLs. */
async function bundled(
  file: string,
  document: OpenAPIV3_1.Document,
  refs: readonly string[],
  fetchRefs: boolean,
): Promise<unknown> {
  const remote = refs.find((ref) => /^https?:/i.test(ref));
  if (remote !== undefined && !fetchRefs)
    throw new Error(`$ref ${remote} is not fetched without --fetch-refs`);
  // Loaded only for a contract in several files.
  const { default: SwaggerParser } = await import('@apidevtools/swagger-parser');
  return SwaggerParser.bundle(file, document, {
    resolve: { http: fetchRefs ? { safeUrlResolver: false } : false },
  });
}

/** @throws Error with the supported versions, and how to convert other ones */
function openApi3(value: unknown): OpenAPIV3_1.Document {
  if (isDocument(value)) return value;
  const { swagger, openapi } = isObject(value) ? value : {};
  if (swagger !== undefined)
    throw new Error(
      `OpenAPI ${swagger} is not supported, only 3.0 and 3.1: convert it, for example with npx swagger2openapi`,
    );
  throw new Error(
    openapi === undefined
      ? 'not an OpenAPI 3.1 document: it has no openapi field'
      : `OpenAPI ${JSON.stringify(openapi)} is not supported, only 3.0 and 3.1`,
  );
}

function isDocument(value: unknown): value is OpenAPIV3_1.Document {
  return isObject(value) && typeof value.openapi === 'string' && /^3\.[01]\./.test(value.openapi);
}

function firstLines(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .trim()
    .split(/\s*\n\s*/)
    .slice(0, 3)
    .map((line) => line.replace(/:$/, ''))
    .join('; ');
}
