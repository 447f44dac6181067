import { formatBytes } from '#contract/platform/text/format.ts'

/** How far it has come; `done` of `total` tables, or bytes of files. */
export type Progress = { step: 'tables' | 'files'; done: number; total: number }
export type ProgressListener = (progress: Progress) => void

export const secondsText = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`

/** Where progress goes: one line that writes itself anew in a terminal, JSON for a program, nothing elsewhere. */
export function reportTo(isLines: boolean): ProgressListener {
  let lastWritten = 0
  return (progress) => {
    if (performance.now() - lastWritten < 200) return
    lastWritten = performance.now()
    if (isLines) console.log(JSON.stringify(progress))
    else if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${lineOf(progress)}\r`)
  }
}

const lineOf = ({ step, done, total }: Progress): string =>
  step === 'tables' ? `Table ${done + 1} of ${total}` : `Files: ${formatBytes(done)} of ${formatBytes(total)}`
