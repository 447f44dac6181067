import { sealMark } from '#contract/evidence/certificate-format.ts'
import { stripMark } from '#contract/evidence/certificate-strip.ts'

/** What a file holds; `seal` is the last line of a PDF and all that stands before it, `strips` are the seals that are drawn in it. */
export type VerifyResult =
  | { kind: 'json'; text: string }
  | {
      kind: 'pdf'
      text: string
      seal: { before: Uint8Array<ArrayBuffer>; signature: string } | null
      strips: string[]
    }
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
  const places = streamsOf(plain, /stream\r?\n(?=\{"body":)/g)
  if (places.length === 0) return nothing('noCertificate')
  if (places.length > 1) return nothing('moreThanOne')
  const [place] = places
  const text = place && decode(bytes.subarray(place[0], place[1]))
  if (text === undefined) return nothing('damagedPdf')
  const strips = streamsOf(plain, stripBegins).map(([from, to]) => plain.slice(from, to))
  return { kind: 'pdf', text, seal: sealOf(bytes, plain), strips }
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

const stripBegins = new RegExp(String.raw`stream\r?\n(?=${stripMark}\n)`, 'g')

/** Neither the attachment nor the drawing of a seal is compressed, and each begins as all of its kind do. */
function streamsOf(plain: string, begin: RegExp): [number, number][] {
  return [...plain.matchAll(begin)].flatMap((match): [number, number][] => {
    const start = match.index + match[0].length
    const end = /\r?\n?endstream/.exec(plain.slice(start))
    return end ? [[start, start + end.index]] : []
  })
}

function sealOf(bytes: Uint8Array<ArrayBuffer>, plain: string) {
  const at = plain.lastIndexOf(sealMark)
  const line = /^([\w-]+)\n$/.exec(plain.slice(at + sealMark.length))
  return at < 0 || !line ? null : { before: bytes.subarray(0, at), signature: line[1] ?? '' }
}
