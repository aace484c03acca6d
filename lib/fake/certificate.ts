import { generateKeyPair, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { realNow } from './real-time.ts';

/** A certificate with its private key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const day = 86_400_000;

/** A self-signed certificate for the loopback addresses and this host, valid for a year. */
export async function createCertificate(host: string): Promise<Certificate> {
  // Loaded only by fakes that serve TLS.
  const { default: forge } = await import('node-forge');
  const { publicKey, privateKey: key } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const names = [...new Set(['localhost', '127.0.0.1', '::1', host])];
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // Positive and without a redundant leading zero, as DER requires (X.690, section 8.3.2).
  certificate.serialNumber = `01${randomBytes(16).toString('hex')}`;
  certificate.validity.notBefore = new Date(realNow() - day);
  certificate.validity.notAfter = new Date(realNow() + 365 * day);
  const name = [{ name: 'commonName', value: 'tenant-admin-conformance fake' }];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    // Clients trust it directly, so it is its own certificate authority.
    { name: 'basicConstraints', cA: true, critical: true },
    // Types of GeneralName (RFC 5280, section 4.2.1.6): 2 is dNSName, 7 is iPAddress.
    {
      name: 'subjectAltName',
      altNames: names.map((each) => (isIP(each) ? { type: 7, ip: each } : { type: 2, value: each })),
    },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key };
}
