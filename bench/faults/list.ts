import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readProduct } from './copy.ts'

export type Fault = {
  id: number
  file: string
  /** The line without its indentation; no other line of the product is like it, so it is found again wherever it goes. */
  before: string
  after: string
  /** The file of tests that should see it. */
  test?: string
  /** The test in it that failed when this was tried last; null when none did, nothing when it has not been tried. */
  foundBy?: string | null
  /** Instead of a test: why nobody could notice it. */
  unnoticed?: string
  /** The line that was drawn at first, and is no longer there. */
  insteadOf?: string
}

/** `passedOver` are lines that were drawn and in which nobody would notice a fault, with the reason. */
export type FaultList = { seed: number; passedOver: Record<string, string>; faults: Fault[] }

const file = path.join(import.meta.dirname, 'faults.json')

export function readList(): FaultList {
  return JSON.parse(readFileSync(file, 'utf8')) as FaultList
}

export function save(list: FaultList): void {
  writeFileSync(file, `${JSON.stringify(list, null, 2)}\n`)
}

/** The file that holds the line today and its text with the fault, or nothing when the line is gone or stands twice. */
export function withFault({ before, after }: Fault): { file: string; text: string } | undefined {
  const found = [...readProduct()].flatMap(([name, text]) => {
    const lines = text.split('\n')
    const at = lines.flatMap((line, index) => (line.trim() === before ? [index] : []))
    return at.map((index) => ({ file: name, text: lines.with(index, after).join('\n') }))
  })
  return found.length === 1 ? found[0] : undefined
}
