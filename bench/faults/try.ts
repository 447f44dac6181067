import { changeFile, commitOf, makeCopy, removeCopy, runScript } from './copy.ts'
import { readList, readResults, save, withFault, type Fault, type Result } from './list.ts'
import { testsOf } from './reach.ts'

type Outcome = Pick<Result, 'foundBy' | 'tried'>
/** A fault in the copy, which can be taken back to see whether it is what a test complains about. */
type Made = { file: string; undo: () => void; redo: () => void }

const vitest = 'node_modules/vitest/vitest.mjs'

/** Tries each fault that has no result yet; those that no quick test sees are tried in the browser after that. */
export function tryFaults(name: string): void {
  makeCopy()
  const { faults } = readList()
  const resultOf = ({ id }: Fault) => readResults(name).find((result) => result.id === id)
  for (const fault of faults) if (!resultOf(fault)) note(name, fault, tryWithoutBrowser)
  for (const fault of faults) {
    const result = resultOf(fault)
    const inBrowser = (made: Made) => tryInBrowser(made, fault.browser)
    if (result?.foundBy === null && !result.tried.includes(fault.browser)) note(name, fault, inBrowser)
  }
  removeCopy()
}

/** Written after each, so that a run that was stopped goes on where it was. */
function note(name: string, fault: Fault, attempt: (made: Made) => Outcome): void {
  const began = performance.now()
  const { foundBy, tried } = outcomeOf(fault, attempt)
  const results = readResults(name)
  const earlier = results.find(({ id }) => id === fault.id)
  const seconds = Math.round((performance.now() - began) / 1000)
  const result: Result = {
    id: fault.id,
    foundBy,
    tried: [...(earlier?.tried ?? []), ...tried],
    seconds: (earlier?.seconds ?? 0) + seconds,
    at: new Date().toISOString(),
    commit: commitOf(),
  }
  save(
    name,
    [...results.filter(({ id }) => id !== fault.id), result].sort((a, b) => a.id - b.id),
  )
  console.log(
    `${fault.id} ${fault.file}: ${foundBy ?? `not found by ${tried.length} test files`} (${seconds} s)`,
  )
}

function outcomeOf(fault: Fault, attempt: (made: Made) => Outcome): Outcome {
  const place = withFault(fault)
  if (!place) return { foundBy: null, tried: ['nothing: the line is gone'] }
  const change = changeFile(place.file, place.text)
  try {
    return attempt({ file: place.file, ...change })
  } finally {
    change.undo()
  }
}

function tryWithoutBrowser(made: Made): Outcome {
  const command = [vitest, 'run', '--project', 'short', '--bail=1', '--maxWorkers=1']
  const tried: string[] = []
  for (const tests of testsOf(made.file).filter((some) => some.length > 0)) {
    tried.push(...tests)
    const foundBy = failureOf(made, command, tests)
    if (foundBy) return { foundBy, tried }
  }
  return { foundBy: null, tried }
}

function tryInBrowser(made: Made, test: string): Outcome {
  const command = ['run.mjs', 'e2e', '-x', '--workers=1', '--project=short']
  return { foundBy: failureOf(made, command, [test]), tried: [test] }
}

/** The test that fails. Where time ran out it has to pass without the fault, else it says nothing but that the machine is busy. */
function failureOf(made: Made, command: string[], tests: string[]): string | null {
  const { passed, output } = runScript([...command, ...tests])
  if (passed) return null
  const failed = failedTest(output)
  if (failed && !/time(d |-)?out/i.test(output)) return failed
  const suspects = tests.filter((test) => !failed || failed.startsWith(test))
  made.undo()
  const isBusy = !runScript([...command, ...suspects]).passed
  made.redo()
  return isBusy ? null : (failed ?? `the start of ${tests.join(', ')}`)
}

function failedTest(output: string): string | undefined {
  const ofVitest = /^ FAIL +(?:\|?short\|? )?(.+)$/m.exec(output)
  const ofBrowser = /^ +1\) (?:\[short\] › )?(.+?)[ ─]*$/m.exec(output)
  return (ofVitest ?? ofBrowser)?.[1]
}
