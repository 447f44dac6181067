import { changeFile, makeCopy, removeCopy, runScript } from './copy.ts'
import { readList, save, withFault, type Fault } from './list.ts'

/** Makes one fault after the other, those with these numbers or all, runs the tests named with it, and writes down which one fails. */
export function tryFaults(ids: readonly number[]): void {
  makeCopy()
  const list = readList()
  const chosen = list.faults.filter(({ id, test }) => test && (ids.length === 0 || ids.includes(id)))
  for (const fault of chosen) {
    fault.foundBy = failedTest(fault)
    save(list)
    console.log(`${fault.id} ${fault.file}: ${fault.foundBy ?? 'NOT FOUND'}`)
  }
  removeCopy()
  const unseen = chosen.filter(({ foundBy }) => foundBy === null)
  console.log(`${chosen.length - unseen.length} of ${chosen.length} found`)
  if (unseen.length > 0) process.exitCode = 1
}

function failedTest(fault: Fault): string | null {
  const place = withFault(fault)
  if (!place || !fault.test) throw new Error(`The line of fault ${fault.id} is gone: draw another one.`)
  const undo = changeFile(place.file, place.text)
  try {
    const { passed, output } = runScript([...commandOf(fault.test), fault.test])
    return passed ? null : firstFailure(output)
  } finally {
    undo()
  }
}

const commandOf = (test: string) =>
  test.endsWith('.e2e.ts')
    ? ['run.mjs', 'e2e', '-x', '--workers=1']
    : ['node_modules/vitest/vitest.mjs', 'run', '--bail=1']

function firstFailure(output: string): string {
  const ofVitest = /^ FAIL +(?:\|\w+\| )?\S+ > (.+)$/m.exec(output)
  const ofBrowser = /^ +1\) (?:\[\w+\] › )?\S+ › (.+?)[ ─]*$/m.exec(output)
  return (ofVitest ?? ofBrowser)?.[1] ?? 'its start'
}
