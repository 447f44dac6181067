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
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Env } from './env.ts'
import { writeOnce } from './write-once.ts'

/** Keyed hashes of the installation. Each purpose has its own key, so that a token for one never fits another. */
export type Keys = {
  /** HMAC-SHA-256, base64url. */
  sign(purpose: string, text: string): string
  verify(purpose: string, text: string, signature: string): boolean
  /** AES-256-GCM: 12 bytes of nonce, 16 of tag, then the text. `bound` (such as an owner's id) is not stored, and must be the same to open. */
  seal(purpose: string, text: string, bound: string): Buffer
  /** Throws when the bytes are not the ones that were sealed for this purpose and owner. */
  open(purpose: string, sealed: Buffer, bound: string): string
  /** Signs what others are to verify without a secret. */
  signer(purpose: string): Signer
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

export function keysOf(secret: string): Keys {
  const known = new Map<string, Buffer>()
  const signers = new Map<string, Signer>()
  const derived = (purpose: string) => {
    const key = known.get(purpose) ?? createHmac('sha256', secret).update(`sendreel:${purpose}`).digest()
    known.set(purpose, key)
    return key
  }
  const sign = (purpose: string, text: string) =>
    createHmac('sha256', derived(purpose)).update(text).digest('base64url')
  return {
    sign,
    verify(purpose, text, signature) {
      const expected = Buffer.from(sign(purpose, text))
      const given = Buffer.from(signature)
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
    seal(purpose, text, bound) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', derived(`seal:${purpose}`), nonce).setAAD(
        Buffer.from(bound),
      )
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    open(purpose, sealed, bound) {
      const decipher = createDecipheriv('aes-256-gcm', derived(`seal:${purpose}`), sealed.subarray(0, 12))
      decipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(12, 28))
      return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
    },
    signer(purpose) {
      const signer = signers.get(purpose) ?? signerOf(derived(`signer:${purpose}`))
      signers.set(purpose, signer)
      return signer
    },
  }
}

/** The secret of the installation: from the configuration, else a file in DATA_DIR that is created once, mode 0600. */
export function readSecret(env: Env): string {
  if (env.secretKey) return env.secretKey
  const file = env.secretKeyFile ?? path.join(env.dataDir, 'secret-key')
  if (!existsSync(file)) {
    mkdirSync(path.dirname(file), { recursive: true })
    writeOnce(file, `${randomBytes(48).toString('base64url')}\n`, 0o600)
  }
  return readFileSync(file, 'utf8').trim()
}

/** 256 random bits, base64url. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** For secrets of high entropy a plain hash is right; passwords go through argon2id. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
