import { createDecipheriv, createHmac, createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readEnv } from './env.ts'
import { keysOf, randomToken, readSecrets } from './keys.ts'

const secret = 'a secret that only tests know, long enough'
const keys = keysOf(secret)
/** The key of a purpose, worked out by hand. */
const keyOf = (purpose: string) => createHmac('sha256', secret).update(`sendreel:${purpose}`).digest()

test('a signature is HMAC-SHA-256 under the key of its purpose, and fits no other purpose and no other secret', () => {
  const signature = keys.sign('media', 'a text')
  expect(signature).toBe(createHmac('sha256', keyOf('media')).update('a text').digest('base64url'))
  expect(keys.verify('media', 'a text', signature)).toBe(true)
  expect(keys.verify('play', 'a text', signature)).toBe(false)
  expect(keys.verify('media', 'another text', signature)).toBe(false)
  expect(keysOf('another secret').verify('media', 'a text', signature)).toBe(false)
  for (const none of ['', 'none', signature.slice(0, -1)])
    expect(keys.verify('media', 'a text', none)).toBe(false)
})

describe('what is sealed', () => {
  const sealed = keys.seal('totp', 'a seed', 'its owner')

  test('is AES-256-GCM with a nonce of its own each time', () => {
    const decipher = createDecipheriv('aes-256-gcm', keyOf('seal:totp'), sealed.subarray(0, 12))
    decipher.setAAD(Buffer.from('its owner')).setAuthTag(sealed.subarray(12, 28))
    const text = Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
    expect(text.toString()).toBe('a seed')
    const nonces = Array.from({ length: 100 }, () => keys.seal('totp', 'x', 'y').toString('hex', 0, 12))
    expect(new Set(nonces).size).toBe(100)
  })

  test('opens for its owner and purpose alone, and not with one bit changed', () => {
    expect(keys.open('totp', sealed, 'its owner')).toBe('a seed')
    expect(() => keys.open('totp', sealed, 'somebody else')).toThrow('not sealed by this installation')
    expect(() => keys.open('mail', sealed, 'its owner')).toThrow('not sealed by this installation')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
      expect(() => keys.open('totp', changed, 'its owner'), `byte ${at}`).toThrow(
        'not sealed by this installation',
      )
    }
  })
})

describe('after the secret was changed', () => {
  const changed = keysOf('another secret that only tests know', secret)

  test('what the one before has signed and sealed still holds, and nothing new is made with it', () => {
    expect(changed.verify('media', 'a text', keys.sign('media', 'a text'))).toBe(true)
    expect(changed.signatures('media', 'a text')).toEqual([
      changed.sign('media', 'a text'),
      keys.sign('media', 'a text'),
    ])
    const sealed = keys.seal('totp', 'a seed', 'its owner')
    expect(changed.open('totp', sealed, 'its owner')).toBe('a seed')
    expect(changed.isSealedNow('totp', sealed, 'its owner')).toBe(false)
    const anew = changed.seal('totp', 'a seed', 'its owner')
    expect(changed.isSealedNow('totp', anew, 'its owner')).toBe(true)
    expect(() => keys.open('totp', anew, 'its owner')).toThrow('not sealed by this installation')
    expect(keys.verify('media', 'a text', changed.sign('media', 'a text'))).toBe(false)
  })

  test('changed once more, the first holds nothing any more', () => {
    const twice = keysOf('a third secret that only tests know', 'another secret that only tests know')
    expect(twice.verify('media', 'a text', keys.sign('media', 'a text'))).toBe(false)
    const sealed = keys.seal('totp', 'a seed', 'its owner')
    expect(() => twice.open('totp', sealed, 'its owner')).toThrow('not sealed by this installation')
  })
})

test('what others verify is signed with Ed25519', () => {
  const signer = keys.signer('certificates')
  const key = createPublicKey(signer.pem)
  expect(key.asymmetricKeyType).toBe('ed25519')
  expect(verify(null, Buffer.from('a text'), key, signer.sign('a text'))).toBe(true)
  expect(verify(null, Buffer.from('another text'), key, signer.sign('a text'))).toBe(false)
  expect(keys.signer('another purpose').id).not.toBe(signer.id)
})

test('a token that nobody may guess has 256 bits, and is there once', () => {
  const tokens = Array.from({ length: 1_000 }, randomToken)
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect(new Set(tokens).size).toBe(1_000)
})

describe('the secret of an installation', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-keys-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is made once, of 384 random bits, and read by its owner only', async () => {
    const made = ['one', 'two'].map(
      (name) => readSecrets(readEnv({ DATA_DIR: path.join(folder, name) })).present,
    )
    expect(new Set(made).size).toBe(2)
    expect(Buffer.from(made[0] ?? '', 'base64url')).toHaveLength(48)
    const file = path.join(folder, 'one', 'secret-key')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(readSecrets(readEnv({ DATA_DIR: path.join(folder, 'one') })).present).toBe(made[0])
    expect((await readFile(file, 'utf8')).trim()).toBe(made[0])
  })

  test('and other secrets may lie in files', async () => {
    const file = path.join(folder, 'smtp-url')
    await writeFile(file, 'smtp://user:secret@mail.example.test\n')
    expect(readEnv({ SMTP_URL_FILE: file }).smtpUrl).toBe('smtp://user:secret@mail.example.test')
    expect(() => readEnv({ SMTP_URL_FILE: path.join(folder, 'nothing') })).toThrow('ENOENT')
  })

  test('is the same whole one for two who begin in the same moment', async () => {
    const folders = Array.from({ length: 200 }, (_, n) => path.join(folder, `both-${n}`))
    const there = new SharedArrayBuffer(4)
    const code = `
      const { parentPort, workerData } = require('node:worker_threads')
      import(${JSON.stringify(new URL('keys.ts', import.meta.url).href)}).then(({ readSecrets }) => {
        const there = new Int32Array(workerData.there)
        const read = (dataDir, n) => {
          Atomics.add(there, 0, 1)
          while (Atomics.load(there, 0) < 2 * (n + 1));
          return readSecrets({ dataDir }).present
        }
        parentPort.postMessage(workerData.folders.map(read))
      })`
    const read = async () => {
      const worker = new Worker(code, { eval: true, workerData: { folders, there } })
      const [secrets] = (await once(worker, 'message')) as [string[]]
      return secrets
    }
    const [one, other] = await Promise.all([read(), read()])
    expect(one).toEqual(other)
    for (const secret of one) expect(Buffer.from(secret, 'base64url')).toHaveLength(48)
  })
})
