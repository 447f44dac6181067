import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { canonical } from '#contract/canonical.ts'
import {
  certificateFormat,
  chainOrigin,
  sealedText,
  sealMark,
  signedText,
  type CertificateBody,
  type CertificateFile,
} from '#contract/certificate-format.ts'
import { chainOf, check, type Installation } from './check.ts'
import { find } from './read.ts'

const pair = generateKeyPairSync('ed25519')
const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')
const here: Installation = {
  keys: [{ keyId: '0123456789abcdef', publicKey }],
  address: 'https://example.test',
}
const signature = (text: string) => sign(null, Buffer.from(text), pair.privateKey).toString('base64url')
const sha256 = (...parts: (Buffer | string)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()

function certificate(change: Partial<CertificateBody> = {}): CertificateFile {
  const body: CertificateBody = {
    id: 'c',
    number: 1,
    previous: chainOrigin,
    salt: '00',
    issuedAt: '2026-11-21T10:00:00.000Z',
    organization: { id: 'o', name: 'Köhler & Söhne' },
    person: { id: 'p', name: 'Zoë Ωmega', email: 'zoe@example.test' },
    video: { id: 'v', title: 'Fire drill', versionId: 'n', version: 1, durationMs: 60_000 },
    threshold: 9_500,
    completedAt: null,
    viewing: null,
    quiz: null,
    ...change,
  }
  const hash = sha256(Buffer.from(body.previous, 'hex'), sha256(canonical(body))).toString('hex')
  return {
    format: certificateFormat,
    body,
    hash,
    keyId: here.keys[0]?.keyId ?? '',
    publicKey,
    signature: signature(signedText({ format: certificateFormat, hash })),
  }
}

const bytesOf = (text: string | Buffer) => new Uint8Array(Buffer.from(text))
const judge = (text: string | Buffer, installation = here) => check(find(bytesOf(text)), installation)

function pdfOf(file: CertificateFile, more = ''): Buffer {
  const pages = Buffer.from(
    `%PDF-1.7\n<< /Author (A) >>\nstream\n${canonical(file)}\nendstream\n${more}%%EOF\n`,
  )
  const seal = signature(sealedText(file, sha256(pages).toString('hex')))
  return Buffer.concat([pages, Buffer.from(`${sealMark}${seal}\n`)])
}

describe('a file', () => {
  it('is genuine as JSON, also when a program has laid it out anew', async () => {
    const file = certificate()
    expect(await judge(canonical(file))).toMatchObject({ state: 'genuine', page: 'own', isResaved: false })
    expect(await judge(JSON.stringify(file, null, 2))).toMatchObject({ state: 'genuine', isResaved: true })
  })

  it('is genuine as PDF, and says whether its pages are', async () => {
    const pdf = pdfOf(certificate())
    expect(await judge(pdf)).toMatchObject({ state: 'genuine', page: 'sealed' })
    const changed = Buffer.from(pdf.toString('latin1').replace('(A)', '(B)'), 'latin1')
    expect(await judge(changed)).toMatchObject({ state: 'genuine', page: 'changed' })
    expect(await judge(Buffer.concat([pdf, Buffer.from('x')]))).toMatchObject({ page: 'changed' })
    const unsealed = pdf.subarray(0, pdf.lastIndexOf(sealMark))
    expect(await judge(unsealed)).toMatchObject({ state: 'genuine', page: 'changed' })
  })

  it('is altered when text, fingerprint or signature do not fit', async () => {
    const file = certificate()
    const other = certificate({ number: 2 })
    for (const forged of [
      { ...file, body: other.body },
      { ...file, hash: other.hash },
      { ...file, signature: other.signature },
      { ...file, body: other.body, hash: other.hash },
      { ...file, publicKey: 'x', signature: '' },
    ])
      expect(await judge(canonical(forged))).toMatchObject({ state: 'altered' })
  })

  it('is not believed for the key that it brings along', async () => {
    const own = generateKeyPairSync('ed25519')
    const file = certificate()
    const forged = {
      ...file,
      publicKey: own.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url'),
      signature: sign(null, Buffer.from(signedText(file)), own.privateKey).toString('base64url'),
    }
    expect(await judge(canonical(forged))).toMatchObject({ state: 'altered' })
  })

  it('of another installation is named by its key, and altered there is altered', async () => {
    const file = { ...certificate(), keyId: 'ffffffffffffffff' }
    expect(await judge(canonical(file))).toMatchObject({ state: 'foreign' })
    const forged = { ...file, body: { ...file.body, number: 7 } }
    expect(await judge(canonical(forged))).toMatchObject({ state: 'altered' })
  })

  it('that holds no certificate, or more than one, is told apart from a forged one', async () => {
    const file = certificate()
    const second = `stream\n${canonical(certificate({ number: 2 }))}\nendstream\n`
    for (const text of ['', 'hello', '{"body":{}}', '{', '%PDF-1.7\n%%EOF', pdfOf(file, second)])
      expect(await judge(text)).toMatchObject({ state: 'unreadable' })
  })
})

describe('a certificate of the first format', () => {
  // Issued by the product before certificates stated what the server handed out.
  const old = readFileSync(path.join(import.meta.dirname, 'first-format.txt'), 'utf8').trim()
  const file: CertificateFile = JSON.parse(old)
  const issuer: Installation = {
    ...here,
    keys: [...here.keys, { keyId: file.keyId, publicKey: file.publicKey }],
  }

  it('stays genuine, and altered is altered', async () => {
    expect(file.format).toBe('sendreel-certificate-1')
    expect(await judge(old, issuer)).toMatchObject({ state: 'genuine', isResaved: false })
    expect(await judge(old.replace('"share":7291', '"share":9291'), issuer)).toMatchObject({
      state: 'altered',
    })
  })

  it('cannot be passed off as one of another format', async () => {
    for (const format of ['sendreel-certificate-2', 'sendreel-certificate-3']) {
      const verdict = await judge(old.replace('sendreel-certificate-1', format), issuer)
      expect(['altered', 'unreadable']).toContain(verdict.state)
    }
  })
})

describe('several certificates of one organization', () => {
  const one = certificate()
  const two = certificate({ number: 2, previous: one.hash })
  const three = certificate({ number: 3, previous: two.hash })

  it('follow one another, in whichever order they are given', () => {
    expect(chainOf([three, one, two, one]).map(({ isFault }) => isFault)).toEqual([false, false])
    expect(chainOf([one])).toEqual([])
  })

  it('leave open what is not there', () => {
    expect(chainOf([one, three])).toEqual([{ isFault: false, kind: 'between', before: 1, after: 3 }])
  })

  it('show a history that was forked', () => {
    const other = certificate({ number: 2, previous: one.hash, salt: '01' })
    expect(chainOf([one, two, other]).map(({ isFault }) => isFault)).toEqual([false, true])
    expect(chainOf([other, three])).toMatchObject([{ isFault: true }])
  })
})
