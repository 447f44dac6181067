import { describe, expect, it } from 'vitest'
import {
  certificateFormat,
  chainOrigin,
  type CertificateSession,
} from '#contract/evidence/certificate-format.ts'
import { redraw } from '#server/media/pictures/redraw.ts'
import { logoFor } from '#server/documents/logo.ts'
import { drawSheet, type Sheet } from './sheet.ts'

function sheetOf(sessions: number, logo: Sheet['logo'] = null): Sheet {
  const session = (i: number): CertificateSession => ({
    id: String(i),
    startedAt: '2026-11-20T10:00:00.000Z',
    endedAt: '2026-11-20T10:01:00.000Z',
    device: 'Firefox on Linux',
    rates: [100, 150],
    hidden: false,
    muted: i % 2 === 0,
    pictureInPicture: false,
    fullscreen: false,
    replayed: false,
    capped: false,
    covered: [[0, 30_000]],
    watchedMs: 30_000,
    wallMs: 30_000,
    batchesSeen: 6,
    batchesExpected: 7,
    refused: [{ fromMs: 30_000, toMs: 40_000, reason: 'hidden' }],
  })
  const body = {
    id: 'c',
    number: 1,
    previous: chainOrigin,
    salt: '00',
    issuedAt: '2026-11-21T10:00:00.000Z',
    organization: { id: 'o', name: 'Köhler & Söhne' },
    person: { id: 'p', name: 'Łukasz Жуковский Ελένη', email: 'l@example.test' },
    video: { id: 'v', title: 'Fire drill', versionId: 'n', version: 1, durationMs: 60_000 },
    threshold: 9_500,
    completedAt: null,
    viewing: {
      covered: [[0, 30_000] as const],
      coveredMs: 30_000,
      share: 5_000,
      sessions: Array.from({ length: sessions }, (_none, i) => session(i)),
      evidence: { hash: 'ab', spans: 1 },
    },
    quiz: null,
  }
  const file = {
    format: certificateFormat,
    body,
    hash: 'ab'.repeat(32),
    keyId: '00',
    publicKey: '',
    signature: '',
  } as const
  return { file, logo, product: 'Sendreel', verifyUrl: 'https://example.test/verify', language: 'en' }
}

const pagesOf = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type \/Page\n/g)?.length

describe('the sheet', () => {
  it('has one page, and one more for many sessions', async () => {
    expect(pagesOf(await drawSheet(sheetOf(2)))).toBe(1)
    expect(pagesOf(await drawSheet(sheetOf(20)))).toBe(2)
    expect(pagesOf(await drawSheet(sheetOf(200)))).toBe(2)
  })

  it('is tagged, in English, with a title', async () => {
    const pdf = (await drawSheet(sheetOf(1))).toString('latin1')
    for (const mark of [
      '/Marked true',
      '/Lang (en-US)',
      '/DisplayDocTitle true',
      '/S /H1',
      '/S /TH',
      '/StructTreeRoot',
    ])
      expect(pdf, mark).toContain(mark)
  })

  it('is German for who reads German', async () => {
    const pdf = (await drawSheet({ ...sheetOf(1), language: 'de' })).toString('latin1')
    expect(pdf).toContain('/Lang (de-DE)')
    // UTF-16, as PDF writes titles with letters beyond ASCII.
    expect(pdf).toContain(Buffer.from('Zertifikat Nr. 1', 'utf16le').swap16().toString('latin1'))
  })

  it('carries the picture of the organization', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const box = { width: 32, height: 32 }
    const redrawn = await redraw({ source: png, box, how: 'cut', maxPixels: 1_000 })
    const logo = await logoFor({ ...redrawn, key: 'picture' }, console)
    expect(logo?.data.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]))
    expect((await drawSheet(sheetOf(1, logo))).toString('latin1')).toContain('/DCTDecode')
  })
})
