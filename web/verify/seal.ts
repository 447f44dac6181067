import type { CertificateFile } from '#contract/evidence/certificate-format.ts'
import { readStrip, stripDrawing } from '#contract/evidence/certificate-strip.ts'
import { without, type Part } from '#contract/tracking/missing-parts.ts'
import type { VerifyResult } from './read.ts'

/**
 * What the seal that is drawn in a file says beside the text in it. `none`: only completions are recorded. `alone`: the file has no
 * drawing, as those that were issued before and all JSON. `drawn` are the bars of the file; of what differs, `more` is only drawn
 * and `less` only written.
 */
export type Seal =
  | { state: 'none' | 'alone' | 'fits' }
  | { state: 'differs'; drawn: Part[]; more: Part[]; less: Part[] }

/**
 * The text is drawn anew, and has to come out as the file has it, sign by sign. This finds a drawing that was changed. That the drawing
 * stands where the page shows it, and nothing over it, is for the seal of the pages alone to say.
 */
export function sealIn(found: VerifyResult, { body: { video, viewing } }: CertificateFile): Seal {
  const strips = found.kind === 'pdf' ? found.strips : []
  const covered = viewing?.covered ?? []
  const own = viewing ? stripDrawing(covered, video.durationMs) : ''
  const other = strips.find((strip) => strip !== own)
  if (other === undefined) return { state: viewing ? (strips.length > 0 ? 'fits' : 'alone') : 'none' }
  const drawn = readStrip(other)
  return { state: 'differs', drawn, more: without(drawn, readStrip(own)), less: without(covered, drawn) }
}
