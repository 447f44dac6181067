import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readProduct } from './copy.ts'

export type Fault = {
  id: number
  /** Where the product had it when it was drawn: a folder of server or web, or the contract. */
  room: string
  file: string
  kind: string
  /** The line without its indentation; no other line of the product is like it, so it is found again wherever it goes. */
  before: string
  after: string
  /** The browser tests that are most likely to see it. */
  browser: string
}

/** `passedOver` are lines in which nobody would notice a fault, with the reason. */
export type FaultList = { seed: number; passedOver: Record<string, string>; faults: Fault[] }

export type Result = {
  id: number
  foundBy: string | null
  tried: string[]
  seconds: number
  at: string
  commit: string
}

const fileOf = (name: string) => path.join(import.meta.dirname, `${name}.json`)

export function readList(): FaultList {
  return existsSync(fileOf('faults'))
    ? JSON.parse(readFileSync(fileOf('faults'), 'utf8'))
    : { seed: 0, passedOver: {}, faults: [] }
}

export function readResults(name: string): Result[] {
  return existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : []
}

export function save(name: string, data: FaultList | Result[]): void {
  writeFileSync(fileOf(name), `${JSON.stringify(data, null, 2)}\n`)
}

/** The file that holds the line today and its text with the fault, or nothing when the line is gone or stands twice. */
export function withFault({ before, after }: Fault): { file: string; text: string } | undefined {
  const found = [...readProduct()].flatMap(([file, text]) => {
    const lines = text.split('\n')
    const at = lines.flatMap((line, index) => (line.trim() === before ? [index] : []))
    return at.map((index) => ({ file, text: lines.with(index, after).join('\n') }))
  })
  return found.length === 1 ? found[0] : undefined
}
