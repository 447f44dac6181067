import { execFileSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sha256 } from './pack.ts'
import { newsOf, versionOf } from './ready.ts'

type Wanted = {
  root: string
  /** Where the archives lie. */
  into: string
  /** An OpenSSH key, or the public half of one that an agent holds. */
  key: string | undefined
}

/** Lays beside the archives what else is published with them, the sums of all of it, and their signature where a key is named. */
export async function complete({ root, into, key }: Wanted): Promise<void> {
  for (const name of ['Containerfile', 'compose.yaml'])
    copyFileSync(path.join(root, name), path.join(into, name))
  writeFileSync(path.join(into, 'notes.md'), `${newsOf(root, versionOf(root))}\n`)
  const lines: string[] = []
  for (const name of readdirSync(into).toSorted())
    lines.push(`${await sha256(path.join(into, name))}  ${name}\n`)
  writeFileSync(path.join(into, 'SHA256SUMS'), lines.join(''))
  if (key !== undefined) sign(into, key)
}

/**
 * By OpenSSH, which whoever checks it has already. It asks for the passphrase of the key, and the signature is checked at once, as others
 * will.
 */
function sign(into: string, key: string): void {
  const signing = ['-Y', 'sign', '-q', '-n', 'file', '-f', path.resolve(key), 'SHA256SUMS']
  execFileSync('ssh-keygen', signing, { cwd: into, stdio: ['inherit', 'ignore', 'inherit'] })
  const signature = readFileSync(path.join(into, 'SHA256SUMS.sig'), 'utf8')
  writeFileSync(path.join(into, 'signers'), `sendreel namespaces="file" ${signerOf(signature)}\n`)
  const checking = ['-Y', 'verify', '-f', 'signers', '-I', 'sendreel', '-n', 'file', '-s', 'SHA256SUMS.sig']
  execFileSync('ssh-keygen', checking, { cwd: into, input: readFileSync(path.join(into, 'SHA256SUMS')) })
}

/** The public key as OpenSSH writes it, which stands in the signature: after six letters and a number come its length and it. */
function signerOf(signature: string): string {
  const bytes = Buffer.from(signature.replaceAll(/-----.*?-----|\s/g, ''), 'base64')
  const key = bytes.subarray(14, 14 + bytes.readUInt32BE(10))
  const kind = key.toString('latin1', 4, 4 + key.readUInt32BE(0))
  return `${kind} ${key.toString('base64')}`
}
