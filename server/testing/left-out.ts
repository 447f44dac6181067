import { appendFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/** Writes down, for the end of the run, which tests were left out; why is said by their names. */
export const leftOut: Reporter = {
  onTestCaseResult(testCase) {
    const file = process.env['TEST_NOTES']
    if (file === undefined || testCase.result().state !== 'skipped') return
    appendFileSync(file, `left out: ${testCase.module.relativeModuleId} > ${testCase.fullName}\n`)
  },
}
