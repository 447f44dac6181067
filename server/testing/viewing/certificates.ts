import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'
import { canonical } from '#contract/platform/text/canonical.ts'
import { signedText, type CertificateFile } from '#contract/evidence/certificate-format.ts'
import { readCertificateKey } from '#contract/evidence/certificates.ts'
import type { TestServer } from '../server.ts'

export const sha256 = (...parts: (Buffer | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

export async function publicKeyOf(server: TestServer): Promise<KeyObject> {
  const { body } = await server.call(readCertificateKey)
  return createPublicKey(body.pem)
}

/** What anybody can do with nothing but the file and the public key. */
export async function isGenuine(server: TestServer, file: CertificateFile): Promise<boolean> {
  const { body, hash, signature } = file
  const found = sha256(Buffer.from(body.previous, 'hex'), sha256(canonical(body))).toString('hex')
  const bytes = Buffer.from(signature, 'base64url')
  return found === hash && verify(null, Buffer.from(signedText(file)), await publicKeyOf(server), bytes)
}
