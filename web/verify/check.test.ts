import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { canonical } from '#contract/platform/text/canonical.ts'
import {
  certificateFormat,
  chainOrigin,
  sealedText,
  sealMark,
  signedText,
  type CertificateBody,
  type CertificateFile,
} from '#contract/evidence/certificate-format.ts'
import { stripDrawing } from '#contract/evidence/certificate-strip.ts'
import type { Part } from '#contract/tracking/missing-parts.ts'
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

describe('the seal that is drawn', () => {
  const hour = 3_600_000
  const video = { id: 'v', title: 'Fire drill', versionId: 'n', version: 1, durationMs: hour }
  const covered: Part[] = [
    [0, 600_000],
    [600_900, 1_200_000],
    [2_000_000, 2_000_200],
  ]
  const viewing = {
    covered,
    coveredMs: 1_199_300,
    share: 3_331,
    sessions: [],
    evidence: { hash: '', spans: 0 },
  }
  const file = certificate({ video, viewing })
  const drawing = stripDrawing(covered, hour)
  const withStrips = (of: CertificateFile, ...strips: string[]) =>
    pdfOf(of, strips.map((strip) => `stream\n${strip}\nendstream\n`).join(''))
  const sealOf = async (pdf: string | Buffer) => {
    const verdict = await judge(pdf)
    return 'seal' in verdict ? verdict.seal : undefined
  }

  it('fits what was signed', async () => {
    expect(await judge(withStrips(file, drawing))).toMatchObject({
      state: 'genuine',
      page: 'sealed',
      seal: { state: 'fits' },
    })
  })

  it('is found when one second of it was changed, more or less', async () => {
    const more = drawing.replace(' 600900 4 599100 ', ' 600900 4 600100 ')
    const less = drawing.replace(' 600900 4 599100 ', ' 600900 4 598100 ')
    expect(await sealOf(withStrips(file, more))).toMatchObject({
      state: 'differs',
      more: [[1_200_000, 1_201_000]],
      less: [],
    })
    expect(await sealOf(withStrips(file, less))).toMatchObject({
      state: 'differs',
      more: [],
      less: [[1_199_000, 1_200_000]],
    })
    // A part far shorter than what is drawn of it is named by what was signed.
    const gone = drawing.replace(/\n.*\n.* rg 2000000 .*$/m, '')
    expect(await sealOf(withStrips(file, gone))).toMatchObject({ less: [[2_000_000, 2_000_200]] })
  })

  it('is found in a PDF that was signed page and all, when it is of another certificate', async () => {
    const other = stripDrawing([[0, hour]], hour)
    const verdict = await judge(withStrips(file, other))
    expect(verdict).toMatchObject({ state: 'genuine', page: 'sealed', seal: { state: 'differs' } })
  })

  it('is found when a gap was painted over, a colour was changed, or a second drawing was added', async () => {
    for (const strips of [
      [drawing.replace(/1 g 584.*\n/, '')],
      [drawing.replace('0.471 0.522 0.494', '0.071 0.525 0.427')],
      [`${drawing}\n0 0 9 9 re f`],
      [drawing, stripDrawing([[0, hour]], hour)],
      [stripDrawing([[0, hour]], hour), drawing],
    ]) {
      expect(strips).not.toEqual([drawing])
      expect(await sealOf(withStrips(file, ...strips))).toMatchObject({ state: 'differs' })
    }
  })

  it('says nothing of a text that was changed', async () => {
    const forged = withStrips(file, drawing).toString('latin1')
    const renamed = Buffer.from(forged.replace('"name":"Zo', '"name":"Xo'), 'latin1')
    expect(await judge(renamed)).toMatchObject({ state: 'altered', seal: { state: 'fits' } })
    const longer = Buffer.from(forged.replace('[600900,1200000]', '[600900,1300000]'), 'latin1')
    expect(await judge(longer)).toMatchObject({
      state: 'altered',
      seal: { state: 'differs', more: [], less: [[1_200_000, 1_300_000]] },
    })
  })

  it('is missing in files from before, in JSON, and where only completions are recorded', async () => {
    expect(await judge(pdfOf(file))).toMatchObject({
      state: 'genuine',
      page: 'sealed',
      seal: { state: 'alone' },
    })
    expect(await sealOf(canonical(file))).toEqual({ state: 'alone' })
    expect(await sealOf(pdfOf(certificate()))).toEqual({ state: 'none' })
    expect(await sealOf(withStrips(certificate(), drawing))).toMatchObject({ state: 'differs' })
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
