import { canonical } from '#contract/platform/text/canonical.ts'
import {
  certificateFormats,
  sealedText,
  signedText,
  type CertificateFile,
} from '#contract/evidence/certificate-format.ts'
import type { ReadFault, VerifyResult } from './read.ts'
import { readStrip, stripDrawing } from '#contract/evidence/certificate-strip.ts'
import { without, type Part } from '#contract/tracking/missing-parts.ts'

/** What does not fit in a certificate; a message of the page. */
type Fault = 'broken' | 'notSigned'

/** The installation that this page belongs to, with every key that it has signed with; base64url. */
export type Installation = { keys: { keyId: string; publicKey: string }[]; address: string }

type Judged =
  /** `page`: whether the printed page of a PDF is as it was issued; `own` where there is none. */
  | { state: 'genuine'; file: CertificateFile; page: 'sealed' | 'changed' | 'own'; isResaved: boolean }
  | { state: 'altered'; file: CertificateFile; faults: Fault[] }
  /** Signed by a key that this page does not know. */
  | { state: 'foreign'; file: CertificateFile }
  /** This browser knows no Ed25519: `faults` is what the hash alone shows. */
  | { state: 'unchecked'; file: CertificateFile; faults: Fault[] }
  | { state: 'unreadable'; fault: ReadFault | 'damaged' }

type WithSeal<V> = V extends { file: CertificateFile } ? V & { seal: Seal } : V

/**
 * What the seal that is drawn in a file says beside the text in it. `none`: only completions are recorded. `alone`: the file has no
 * drawing, as those that were issued before and all JSON. `drawn` are the bars of the file; of what differs, `more` is only drawn
 * and `less` only written.
 */
type Seal =
  | { state: 'none' | 'alone' | 'fits' }
  | { state: 'differs'; drawn: Part[]; more: Part[]; less: Part[] }

/**
 * The text is drawn anew, and has to come out as the file has it, sign by sign. This finds a drawing that was changed. That the drawing
 * stands where the page shows it, and nothing over it, is for the seal of the pages alone to say.
 */
function sealIn(found: VerifyResult, { body: { video, viewing } }: CertificateFile): Seal {
  const strips = found.kind === 'pdf' ? found.strips : []
  const covered = viewing?.covered ?? []
  const own = viewing ? stripDrawing(covered, video.durationMs) : ''
  const other = strips.find((strip) => strip !== own)
  if (other === undefined) return { state: viewing ? (strips.length > 0 ? 'fits' : 'alone') : 'none' }
  const drawn = readStrip(other)
  return { state: 'differs', drawn, more: without(drawn, readStrip(own)), less: without(covered, drawn) }
}

export type Verdict = WithSeal<Judged>

/** Judges what was found in one file, and lays the seal that is drawn in it over its text. Nothing leaves the browser. */
export async function check(found: VerifyResult, installation: Installation): Promise<Verdict> {
  const judged = await judge(found, installation)
  return 'file' in judged ? { ...judged, seal: sealIn(found, judged.file) } : judged
}

async function judge(found: VerifyResult, installation: Installation): Promise<Judged> {
  if (found.kind === 'nothing') return { state: 'unreadable', fault: found.fault }
  const file = fileOf(found.text)
  if (!file) return { state: 'unreadable', fault: 'damaged' }
  // Over plain http a browser computes no hashes.
  if (!('subtle' in crypto)) return { state: 'unchecked', file, faults: [] }
  const isWhole = (await hashOf(file)) === file.hash
  const signedBy = installation.keys.find(({ keyId }) => keyId === file.keyId)
  if (!signedBy) return isWhole ? { state: 'foreign', file } : { state: 'altered', file, faults: ['broken'] }
  const faults: Fault[] = isWhole ? [] : ['broken']
  const key = await keyOf(signedBy)
  if (!key) return { state: 'unchecked', file, faults }
  if (!(await isSigned(key, signedText(file), file.signature))) faults.push('notSigned')
  if (faults.length > 0) return { state: 'altered', file, faults }
  const isResaved = found.kind === 'json' && canonical(file) !== found.text.trim()
  return { state: 'genuine', file, page: await pageOf(found, file, installation), isResaved }
}

function fileOf(text: string): CertificateFile | undefined {
  try {
    const parsed = JSON.parse(text) as Partial<CertificateFile> | null
    const texts = [
      parsed?.hash,
      parsed?.keyId,
      parsed?.signature,
      parsed?.body?.previous,
      parsed?.body?.person.name,
    ]
    const isKnown = certificateFormats.some((format) => format === parsed?.format)
    const isOne = isKnown && texts.every((one) => typeof one === 'string')
    return isOne ? (parsed as CertificateFile) : undefined
  } catch {
    return undefined
  }
}

async function hashOf({ body }: CertificateFile): Promise<string> {
  const own = await sha256(new TextEncoder().encode(canonical(body)))
  const before = /^[0-9a-f]{64}$/.test(body.previous) ? bytesOf(body.previous) : new Uint8Array()
  return hex(await sha256(new Uint8Array([...before, ...own])))
}

/** The page is sealed when it is drawn, which may be long after the certificate was signed: by any key of the installation. */
async function pageOf(found: VerifyResult, file: CertificateFile, { keys }: Installation) {
  if (found.kind !== 'pdf') return 'own'
  if (!found.seal) return 'changed'
  const { before, signature } = found.seal
  const text = sealedText(file, hex(await sha256(before)))
  const known = (await Promise.all(keys.map(keyOf))).filter((key) => key !== undefined)
  const sealed = await Promise.all(known.map((key) => isSigned(key, text, signature)))
  return sealed.includes(true) ? 'sealed' : 'changed'
}

/** Undefined where the browser cannot verify Ed25519, or the page came over plain http. */
async function keyOf({ publicKey }: Installation['keys'][number]): Promise<CryptoKey | undefined> {
  try {
    return await crypto.subtle.importKey('raw', fromBase64(publicKey), 'Ed25519', false, ['verify'])
  } catch {
    return undefined
  }
}

async function isSigned(key: CryptoKey, text: string, signature: string): Promise<boolean> {
  try {
    return await crypto.subtle.verify('Ed25519', key, fromBase64(signature), new TextEncoder().encode(text))
  } catch {
    return false
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const bytesOf = (digits: string) =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    atob(text.replaceAll('-', '+').replaceAll('_', '/')),
    (letter) => letter.codePointAt(0) ?? 0,
  )
}

/** How one certificate follows another, by their numbers. */
export type ChainNote = {
  isFault: boolean
  kind: 'twice' | 'between' | 'follows' | 'followsNot'
  before: number
  after: number
}

/** Whether certificates of one organization follow one another. Given in any order; only genuine ones. */
export function chainOf(files: readonly CertificateFile[]): ChainNote[] {
  const byOrganization = Map.groupBy(files, ({ body }) => body.organization.id)
  return [...byOrganization.values()].flatMap((own) => {
    const known = new Map(own.map((file) => [file.hash, file]))
    const sorted = [...known.values()].toSorted((a, b) => a.body.number - b.body.number)
    return sorted.slice(1).map((file, i) => linkOf(sorted[i] ?? file, file))
  })
}

function linkOf(one: CertificateFile, other: CertificateFile): ChainNote {
  const [before, after] = [one.body.number, other.body.number]
  const numbers = { before, after }
  if (before === after) return { isFault: true, kind: 'twice', ...numbers }
  if (after > before + 1) return { isFault: false, kind: 'between', ...numbers }
  return other.body.previous === one.hash
    ? { isFault: false, kind: 'follows', ...numbers }
    : { isFault: true, kind: 'followsNot', ...numbers }
}
