import './run/requireNode.mjs'
import { leftOut } from './server/testing/left-out.ts'
import { configDefaults, defineConfig } from 'vitest/config'

/** What takes long to prove: kills, lost networks, hostile files, conversions, secrets that are lost, ten thousand people. */
const long = '**/*.long.test.ts'
/** What a request costs, beside a floor; and the one file that replaces a module. */
const alone = ['bench/gate.long.test.ts', 'e2e/sweep.long.test.ts']
const globalSetup = ['server/testing/setup.ts']
/** Ends what hangs, and nothing else: how long a proof takes is a matter of the machine, of which one is half as fast as another. */
const patience = { testTimeout: 2_700_000, hookTimeout: 600_000 }

export default defineConfig({
  test: {
    reporters: ['default', leftOut],
    testTimeout: 30_000,
    // For whatever processes a test starts: nobody takes back what it sends.
    env: { UNDO_SECONDS: '0' },
    hookTimeout: 60_000,
    // The modules of a worker are loaded once, not once per file. No file here replaces a module or leaves something behind in one.
    isolate: false,
    projects: [
      // What a function decides by itself: neither database nor server, and no process of its own.
      {
        extends: true,
        test: {
          name: 'plain',
          include: ['{build,contract,release,web}/**/*.test.{ts,tsx}'],
          exclude: [long],
          sequence: { groupOrder: 1 },
        },
      },
      // Those in e2e need the page and the server in one process.
      {
        extends: true,
        test: {
          name: 'short',
          include: ['{server,e2e}/**/*.test.ts', 'house.test.ts'],
          exclude: [long],
          globalSetup,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      // Each starts servers, databases and programs of its own: more of them at once only keep each other waiting.
      {
        extends: true,
        test: {
          name: 'long',
          include: [long],
          exclude: [...configDefaults.exclude, ...alone],
          globalSetup,
          maxWorkers: 2,
          ...patience,
          sequence: { groupOrder: 3 },
        },
      },
      // One after the other, after all others: what else runs on the same cores slows the server more than its floor, and a worker that
      // has loaded a module before does not see that it was replaced.
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          globalSetup,
          isolate: true,
          maxWorkers: 1,
          ...patience,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
