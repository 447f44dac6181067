import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  randomBytes,
  sign as signBytes,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { makeDataDir } from './data-dir.ts'
import type { Env } from './env.ts'
import { writeOnce } from './write-once.ts'

/**
 * Keyed hashes of the installation. Each purpose has its own key, so that a token for one never fits another. After the secret was
 * changed, what the one before has signed and sealed still holds; nothing new is made with it.
 */
export type Keys = {
  /** HMAC-SHA-256, base64url. */
  sign(purpose: string, text: string): string
  /** What `sign` answers, and what it answered before the secret was changed. */
  signatures(purpose: string, text: string): string[]
  verify(purpose: string, text: string, signature: string): boolean
  /** AES-256-GCM: 12 bytes of nonce, 16 of tag, then the text. `bound` (such as an owner's id) is not stored, and must be the same to open. */
  seal(purpose: string, text: string, bound: string): Buffer
  /** Throws when the bytes are not the ones that were sealed for this purpose and owner. */
  open(purpose: string, sealed: Buffer, bound: string): string
  /** Whether the present secret has sealed it, so that it can be opened without the one before. */
  isSealedNow(purpose: string, sealed: Buffer, bound: string): boolean
  /** Signs what others are to verify without a secret. */
  signer(purpose: string): Signer
  /** The same, then that of the secret before. */
  signers(purpose: string): Signer[]
}

/** An Ed25519 key of the installation. */
type Signer = {
  /** First 16 hexadecimal digits of the SHA-256 of the public key. */
  id: string
  /** 32 bytes. */
  publicKey: Buffer
  pem: string
  /** 64 bytes over the UTF-8 of the text. */
  sign(text: string): Buffer
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

function signerOf(seed: Buffer): Signer {
  const secret = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' })
  const open = createPublicKey(secret)
  const publicKey = open.export({ format: 'der', type: 'spki' }).subarray(-32)
  return {
    id: createHash('sha256').update(publicKey).digest('hex').slice(0, 16),
    publicKey,
    pem: open.export({ format: 'pem', type: 'spki' }),
    sign: (text) => signBytes(null, Buffer.from(text), secret),
  }
}

/** `previous`: the secret before, where it was changed. */
export function keysOf(present: string, previous?: string): Keys {
  const now = keysUnder(present)
  const all = previous === undefined ? [now] : [now, keysUnder(previous)]
  const signatures = (purpose: string, text: string) => all.map((keys) => keys.sign(purpose, text))
  return {
    sign: now.sign,
    signatures,
    verify: (purpose, text, signature) =>
      signatures(purpose, text).some((expected) => isSame(Buffer.from(expected), Buffer.from(signature))),
    seal(purpose, text, bound) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', now.of(`seal:${purpose}`), nonce).setAAD(
        Buffer.from(bound),
      )
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(purpose, sealed, bound) {
      const opened = all.map((keys) => unsealed(keys.of(`seal:${purpose}`), sealed, bound))
      const text = opened.find((one) => one !== undefined)
      if (text === undefined) throw new Error('not sealed by this installation for this purpose and owner')
      return text
    },
    isSealedNow: (purpose, sealed, bound) => unsealed(now.of(`seal:${purpose}`), sealed, bound) !== undefined,
    signer: (purpose) => now.signer(purpose),
    signers: (purpose) => all.map((keys) => keys.signer(purpose)),
  }
}

/** The keys that one secret gives, one for each purpose. */
function keysUnder(secret: string) {
  const known = new Map<string, Buffer>()
  const of = (purpose: string) => {
    const key = known.get(purpose) ?? createHmac('sha256', secret).update(`sendreel:${purpose}`).digest()
    known.set(purpose, key)
    return key
  }
  const signers = new Map<string, Signer>()
  return {
    of,
    sign: (purpose: string, text: string) =>
      createHmac('sha256', of(purpose)).update(text).digest('base64url'),
    signer(purpose: string) {
      const signer = signers.get(purpose) ?? signerOf(of(`signer:${purpose}`))
      signers.set(purpose, signer)
      return signer
    },
  }
}

const isSame = (expected: Buffer, given: Buffer) =>
  expected.length === given.length && timingSafeEqual(expected, given)

/** Undefined where another key, another owner or somebody else has sealed it. */
function unsealed(key: Buffer, sealed: Buffer, bound: string): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
    decipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(12, 28))
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

/** Where the secret lies that is not given by the configuration itself, and beside it the one before. */
export function secretFiles(env: Pick<Env, 'dataDir' | 'secretKeyFile'>) {
  const present = env.secretKeyFile ?? path.join(env.dataDir, 'secret-key')
  return { present, previous: `${present}.previous` }
}

type Secrets = { present: string; previous: string | undefined }
type GivenSecrets = { present: string | undefined; previous: string | undefined }
type Place = Pick<Env, 'dataDir' | 'secretKey' | 'secretKeyPrevious' | 'secretKeyFile'>

/** The secret of the installation and the one before, as far as the configuration or the files have them; makes none. */
export function givenSecrets(env: Place): GivenSecrets {
  if (env.secretKey) return { present: env.secretKey, previous: env.secretKeyPrevious }
  const { present, previous } = secretFiles(env)
  const within = (file: string) => (existsSync(file) ? secretIn(file) : undefined)
  return { present: within(present), previous: within(previous) }
}

/** The same as keys; undefined without a secret. */
export function givenKeys(env: Place): Keys | undefined {
  const { present, previous } = givenSecrets(env)
  return present === undefined ? undefined : keysOf(present, previous)
}

/** The same; where there is no secret yet, the first is made, once, mode 0600. */
export function readSecrets(env: Env): Secrets {
  const { present, previous } = givenSecrets(env)
  if (present !== undefined) return { present, previous }
  const file = secretFiles(env).present
  makeDataDir(env.dataDir)
  writeOnce(file, `${newSecret()}\n`, 0o600)
  return { present: secretIn(file), previous }
}

/** The same for the same secret, and tells nothing else about it: of the present one, then of the one before. */
export const secretMarks = (keys: Keys): string[] => keys.signatures('backup', 'the same secret')

export const secretIn = (file: string): string => readFileSync(file, 'utf8').trim()

/** 384 random bits, base64url. */
export function newSecret(): string {
  return randomBytes(48).toString('base64url')
}

/** 256 random bits, base64url. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** For secrets of high entropy a plain hash is right; passwords go through argon2id. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
