import { createHash } from 'node:crypto'
import { createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer as bufferOf } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Store } from '../platform/storage/store.ts'

/** A stream of bytes that has been counted and hashed. */
export type Measured = { bytes: number; sha256: string }
type Bytes = AsyncIterable<Buffer>

/** Encrypts for a recipient of age; without one it leaves the bytes as they are. */
export type Seal = { recipient: string | null; wrap(bytes: Bytes): Promise<Bytes> }
/** The other way, with the identities of a file. */
export type Unseal = (bytes: Bytes) => Promise<Bytes>

const webOf = (bytes: Bytes) => Readable.toWeb(Readable.from(bytes)) as unknown as ReadableStream<Uint8Array>
const bytesOf = (stream: ReadableStream<Uint8Array>): Bytes => Readable.fromWeb(stream)

export function sealFor(recipient: string | undefined): Seal {
  if (recipient === undefined) return { recipient: null, wrap: (bytes) => Promise.resolve(bytes) }
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return { recipient, wrap: async (bytes) => bytesOf(await encrypter.encrypt(webOf(bytes))) }
}

/** Throws a sentence when the backup is encrypted and no identity is named, or the file holds none. */
export function unsealWith(recipient: string | null, identityFile: string | undefined): Unseal {
  if (recipient === null) return (bytes) => Promise.resolve(bytes)
  if (identityFile === undefined)
    throw new Error(`This backup is encrypted for ${recipient}. Name the file of its key: --identity <file>`)
  const decrypter = new Decrypter()
  const lines = readFileSync(identityFile, 'utf8').match(/^AGE-SECRET-KEY-1\S+/gm) ?? []
  if (lines.length === 0) throw new Error(`${identityFile} holds no key of age (AGE-SECRET-KEY-1…).`)
  for (const line of lines) decrypter.addIdentity(line)
  return async (bytes) => bytesOf(await decrypter.decrypt(webOf(bytes)))
}

/** Whether the identity opens what is encrypted for the recipient: asked before anything is written. */
export async function requireFits(seal: Seal, unseal: Unseal): Promise<void> {
  if (seal.recipient === null) return
  const sealed = await seal.wrap(Readable.from([Buffer.from('fits')]))
  try {
    await bufferOf(await unseal(sealed))
  } catch {
    throw new Error(
      `The key of --identity does not open this backup, which is encrypted for ${seal.recipient}.`,
    )
  }
}

/** Writes a new identity, readable by its owner only, and gives its recipient. */
export async function newKey(file: string): Promise<string> {
  if (existsSync(file)) throw new Error(`${file} exists already; a key is never overwritten.`)
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  writeFileSync(file, `# public key: ${recipient}\n${identity}\n`, { mode: 0o600, flag: 'wx' })
  return recipient
}

/** Measures what goes through; `into` is filled when all of it has. Throws where it is more than `most` bytes. */
export function measuring(into: Partial<Measured>, most = Infinity) {
  return async function* (source: Bytes): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      if (bytes > most) throw new Error(`more than ${most} bytes`)
      yield chunk
    }
    Object.assign(into, { bytes, sha256: hash.digest('hex') })
  }
}

type Writing = { seal: Seal; isText?: boolean }

/** Writes a stream through to the disk: compressed where it is text, encrypted where that is wished. */
export async function writeSealed(
  file: string,
  source: Bytes,
  { seal, isText = false }: Writing,
): Promise<Measured & { stored: number }> {
  const measured: Partial<Measured> = {}
  const plain = measuring(measured)(source)
  const packed = isText ? piped(plain, createZstdCompress()) : plain
  const target = createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true })
  await pipeline(await seal.wrap(packed), target)
  return { bytes: measured.bytes ?? 0, sha256: measured.sha256 ?? '', stored: (await stat(file)).size }
}

type Reading = { unseal: Unseal; isText?: boolean; measured?: Partial<Measured>; most?: number }

/** What such a file holds where backups lie, `most` bytes of it at most; `measured` is filled when it has been read to its end. */
export async function readSealed(store: Store, key: string, reading: Reading): Promise<Bytes> {
  const { unseal, isText = false, measured = {}, most } = reading
  const opened = await unseal((await store.read(key)) as Bytes)
  return measuring(measured, most)(isText ? piped(opened, createZstdDecompress()) : opened)
}

/** Through a stream of Node, with the error of whichever fails. */
async function* piped(source: Bytes, through: NodeJS.ReadWriteStream): AsyncGenerator<Buffer> {
  const done = pipeline(Readable.from(source), through)
  done.catch(() => undefined)
  yield* through as unknown as Bytes
  await done
}
