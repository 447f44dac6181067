import './run/requireNode.mjs'
import { defineConfig } from '@playwright/test'

const asRoot = process.getuid?.() === 0
/** Without a screen Chromium calls itself a program, and what programs watch does not count. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** A file of its own, or a test that its tag sets apart. */
const long = /\.long\.e2e\.ts|@long/

export default defineConfig({
  testDir: 'e2e',
  testMatch: '*.e2e.ts',
  globalSetup: './e2e/prepare.ts',
  outputDir: 'test-results',
  timeout: 180_000,
  expect: { timeout: 15_000 },
  fullyParallel: false,
  workers: 2,
  forbidOnly: true,
  // A race in hundreds of tests must not refuse the work of days; which test needed it is said at the end of the run.
  retries: 1,
  reporter: [['list'], ['./e2e/notes.ts']],
  // What takes long to prove is left out by `npm test`, not by `npm run test:all`.
  projects: [
    { name: 'short', grepInvert: long },
    // The limit ends what hangs, and nothing else: one machine is half as fast as another.
    { name: 'long', grep: long, timeout: 900_000 },
  ],
  use: {
    browserName: 'chromium',
    viewport: { width: 1366, height: 800 },
    userAgent,
    // A trace of everything, to be thrown away, took a third of the time; `--trace on` has one where it is wanted.
    trace: 'off',
    screenshot: 'only-on-failure',
    actionTimeout: 20_000,
    launchOptions: {
      ...(process.env['CHROMIUM_PATH'] ? { executablePath: process.env['CHROMIUM_PATH'] } : {}),
      args: [
        ...(asRoot ? ['--no-sandbox'] : []),
        // What a page says while it is being left has the name of the browser, not that of its tab.
        `--user-agent=${userAgent}`,
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--autoplay-policy=no-user-gesture-required',
      ],
    },
  },
})
