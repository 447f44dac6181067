import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import type { Credential } from '#contract/identity/factors.ts'

/** What a test may get wrong on purpose. */
export type Slip = {
  origin?: string
  rpId?: string
  challenge?: string
  /** False: nobody was asked for a finger, a face or a PIN. */
  verified?: boolean
  counter?: number
  userHandle?: string
}
type Options = Record<string, unknown>

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url')

/** The little CBOR that a passkey speaks: small integers, byte strings, texts and maps. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  const head = (major: number, n: number) =>
    n < 24
      ? Buffer.from([major | n])
      : n < 256
        ? Buffer.from([major | 24, n])
        : Buffer.from([major | 25, n >> 8, n & 255])
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(0x20, -1 - value)
  if (typeof value === 'string')
    return Buffer.concat([head(0x60, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(0x40, value.length), value])
  const entries = [...value].flatMap(([key, inner]) => [cbor(key), cbor(inner as Buffer)])
  return Buffer.concat([head(0xa0, value.size), ...entries])
}

/** ES256 as a COSE key. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const parts: [number, number | Buffer][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]
  return cbor(new Map(parts))
}

const origin = 'http://localhost:3000'

/** A passkey in software: ES256, without attestation. It keeps to WebAuthn unless a slip is asked for. */
export function softAuthenticator({ counts = true } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0
  let userHandle = ''

  const clientData = (type: string, options: Options, slip: Slip) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: slip.challenge ?? options['challenge'],
        origin: slip.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const authData = (slip: Slip, attested = Buffer.alloc(0)) => {
    if (counts) counter += 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(slip.counter ?? counter)
    const flags = 0x01 | (slip.verified === false ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0)
    return Buffer.concat([sha256(slip.rpId ?? 'localhost'), Buffer.from([flags]), count, attested])
  }
  const wrapped = (response: Credential['response']): Credential => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    response,
  })

  return {
    create(options: Options, slip: Slip = {}): Credential {
      const user = options['user'] as { id: string }
      userHandle = user.id
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(publicKey)])
      const attestation = new Map<string, string | Buffer | Map<string, unknown>>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData(slip, attested)],
      ])
      return wrapped({
        clientDataJSON: base64url(clientData('webauthn.create', options, slip)),
        attestationObject: base64url(cbor(attestation)),
        transports: ['internal'],
      })
    },
    get(options: Options, slip: Slip = {}): Credential {
      const client = clientData('webauthn.get', options, slip)
      const data = authData(slip)
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey)
      return wrapped({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: slip.userHandle ?? userHandle,
      })
    },
  }
}

export type SoftAuthenticator = ReturnType<typeof softAuthenticator>
