import { fileURLToPath } from 'node:url';
import type { OpenAPIV3_1 } from 'openapi-types';
import { buildContract } from './build.ts';
import { readDocument, shippedFile } from './document.ts';
import { isObject } from './json.ts';
import type { Contract } from './model.ts';

/** A contract that can't be used; its message is one line that says why. */
export class ContractError extends Error {
  override name = 'ContractError';
}

/** The file of the contract that ships with the suite. */
export const contractFile = fileURLToPath(shippedFile('fixtures/openapi.yaml'));

/**
 * Reads an OpenAPI 3.1 document (YAML or JSON), checks it and builds the model.
 * @param file path of the document; the shipped contract where it is left out
 * @throws ContractError for a file that can't be read, isn't OpenAPI 3.1, or breaks its conventions
 */
export async function loadContract(file: string = contractFile): Promise<Contract> {
  if (file === contractFile) return shippedContract();
  const document = read(file);
  if (!isOpenApi31(document)) throw new ContractError(`${file} is not an OpenAPI 3.1 document`);
  return build(await validated(file, document), file);
}

/** Read once for everybody in the process: it is never changed, and held valid by the project's own tests. */
let shipped: Contract | undefined;

/** The contract that ships with the suite. */
export function shippedContract(): Contract {
  shipped ??= build(readShipped(), contractFile);
  return shipped;
}

function build(document: OpenAPIV3_1.Document, file: string): Contract {
  try {
    return buildContract(document, file === contractFile ? document : readShipped());
  } catch (error) {
    throw new ContractError(`${file}: ${oneLine(error)}`);
  }
}

/** The document with external references brought in, once it is found to be valid OpenAPI 3.1. */
async function validated(file: string, document: OpenAPIV3_1.Document): Promise<OpenAPIV3_1.Document> {
  // Loaded for those only who bring a contract of their own.
  const { default: SwaggerParser } = await import('@apidevtools/swagger-parser');
  try {
    const bundled: unknown = await SwaggerParser.bundle(file, structuredClone(document), {});
    if (!isOpenApi31(bundled)) throw new Error('not an OpenAPI 3.1 document');
    await SwaggerParser.validate(file, withoutVariableDescriptions(bundled), {});
    return bundled;
  } catch (error) {
    throw new ContractError(`${file}: ${oneLine(error)}`);
  }
}

function read(file: string): unknown {
  try {
    return readDocument(file);
  } catch (error) {
    throw new ContractError(`${file}: ${oneLine(error)}`);
  }
}

function readShipped(): OpenAPIV3_1.Document {
  const document = readDocument(contractFile);
  if (!isOpenApi31(document)) throw new ContractError(`${contractFile} is not an OpenAPI 3.1 document`);
  return document;
}

function isOpenApi31(value: unknown): value is OpenAPIV3_1.Document {
  return isObject(value) && typeof value.openapi === 'string' && /^3\.1\./.test(value.openapi);
}

/** A copy for swagger-parser 12, which refuses the description of a server variable (a typo in its schema). */
function withoutVariableDescriptions(document: OpenAPIV3_1.Document): OpenAPIV3_1.Document {
  const copy = structuredClone(document);
  const servers = [copy, ...Object.values(copy.paths ?? {})].flatMap((each) => each?.servers ?? []);
  for (const variable of servers.flatMap((server) => Object.values(server.variables ?? {})))
    delete variable.description;
  return copy;
}

function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .trim()
    .split(/\s*\n\s*/)
    .slice(0, 3)
    .join('; ');
}
