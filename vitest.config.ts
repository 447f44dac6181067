import { defineConfig } from 'vitest/config'

// Those in e2e need the page and the server in one process.
const tests = ['{build,contract,server,web,e2e}/**/*.test.{ts,tsx}', 'house.test.ts']
/** What takes long to prove: kills, lost networks, hostile files. `npm test` leaves it out, `npm run test:all` does not. */
const long = '**/*.long.test.ts'

export default defineConfig({
  test: {
    globalSetup: ['server/testing/setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: 'short', include: tests, exclude: ['node_modules', long] } },
      { extends: true, test: { name: 'long', include: [long] } },
    ],
  },
})
