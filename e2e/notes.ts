import { appendFileSync } from 'node:fs'
import type { Reporter } from '@playwright/test/reporter'

/** Writes down, for the end of the run, which browser tests were left out and which passed at their second try only. */
function notes(): Reporter {
  const file = process.env['TEST_NOTES']
  return {
    onTestEnd(test, result) {
      const title = test.titlePath().filter(Boolean).slice(1).join(' > ')
      if (file === undefined) return
      if (result.retry > 0 && test.outcome() === 'flaky') appendFileSync(file, `flaky ${title}\n`)
      if (test.expectedStatus === 'skipped') appendFileSync(file, `left out: ${title}\n`)
    },
    printsToStdio: () => false,
  }
}

// Playwright takes a reporter by the default export of its file.
export default notes
