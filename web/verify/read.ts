import { sealMark } from '#contract/certificate-format.ts'

/** What a file holds; `seal` is the last line of a PDF and all that stands before it. */
export type VerifyResult =
  | { kind: 'json'; text: string }
  | { kind: 'pdf'; text: string; seal: { before: Uint8Array<ArrayBuffer>; signature: string } | null }
  | { kind: 'nothing'; fault: ReadFault }

/** Why there is nothing; a message of the page. */
export type ReadFault = 'tooLarge' | 'otherKind' | 'noCertificate' | 'moreThanOne' | 'damagedPdf'

const most = 20_000_000

export async function read(file: File): Promise<VerifyResult> {
  if (file.size > most) return nothing('tooLarge')
  return find(new Uint8Array(await file.arrayBuffer()))
}

export function find(bytes: Uint8Array<ArrayBuffer>): VerifyResult {
  const plain = lettersOf(bytes)
  if (!plain.slice(0, 1024).includes('%PDF-')) {
    const text = decode(bytes)
    return text === undefined || !text.trimStart().startsWith('{')
      ? nothing('otherKind')
      : { kind: 'json', text }
  }
  const places = attachments(plain)
  if (places.length === 0) return nothing('noCertificate')
  if (places.length > 1) return nothing('moreThanOne')
  const [place] = places
  const text = place && decode(bytes.subarray(place[0], place[1]))
  return text === undefined ? nothing('damagedPdf') : { kind: 'pdf', text, seal: sealOf(bytes, plain) }
}

const nothing = (fault: ReadFault): VerifyResult => ({ kind: 'nothing', fault })

/** One letter for each byte, so that a place in the text is a place in the file. */
function lettersOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Our attachment is not compressed, and begins as every certificate does. */
function attachments(plain: string): [number, number][] {
  const found: [number, number][] = []
  const begin = /stream\r?\n(?=\{"body":)/g
  for (let match = begin.exec(plain); match; match = begin.exec(plain)) {
    const start = match.index + match[0].length
    const end = /\r?\n?endstream/.exec(plain.slice(start))
    if (end) found.push([start, start + end.index])
  }
  return found
}

function sealOf(bytes: Uint8Array<ArrayBuffer>, plain: string) {
  const at = plain.lastIndexOf(sealMark)
  const line = /^([\w-]+)\n$/.exec(plain.slice(at + sealMark.length))
  return at < 0 || !line ? null : { before: bytes.subarray(0, at), signature: line[1] ?? '' }
}
