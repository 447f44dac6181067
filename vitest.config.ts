import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Those in e2e need the page and the server in one process.
    include: ['{build,contract,server,web,e2e}/**/*.test.{ts,tsx}', 'house.test.ts'],
    globalSetup: ['server/testing/setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
