// Every command of the project, on whatever Node (20 or later) is there: node run.mjs <command> [arguments]
import { rmSync } from 'node:fs'
import path from 'node:path'
import { build, ensureBuilt, newBuilds } from './run/build.mjs'
import { apt } from './run/apt.mjs'
import { ensureBrowser } from './run/browser.mjs'
import { ensureEngines } from './run/engines.mjs'
import { growth } from './run/growth.mjs'
import { ensureInstalled, isInstalled } from './run/install.mjs'
import { noted } from './run/notes.mjs'
import {
  failure,
  projectNode,
  ROOT,
  run,
  runTogether,
  seconds,
  serverEnvironment,
  step,
  tool,
  toolPath,
} from './run/process.mjs'
import { requireReached } from './run/unreached.mjs'

const commands = {
  start: (args) => serve(args),
  demo: (args) => serve(['--demo', ...args]),
  dev,
  build,
  check,
  test: noted(test),
  'test:all': noted(testAll),
  texts: script('build/texts/command.ts'),
  e2e: noted(e2e),
  bench,
  pictures,
  doctor: script('server/doctor/command.ts'),
  release: script('release/main.ts'),
  audit: script('release/audit-command.ts'),
  backup: script('server/backup/command.ts'),
  restore: script('server/backup/restore/restore-command.ts'),
  move: script('server/move/command.ts'),
  'verify-audit': script('server/platform/audit/command.ts'),
  'rebuild-evidence': script('server/evidence/rebuild/command.ts'),
  'rotate-secret': script('server/secret/command.ts'),
}

/** A command that is a program of its own. */
function script(file) {
  return (args) => run(projectNode(), [file, ...args])
}

async function serve(args) {
  await ensureBuilt()
  await run(projectNode(), ['server/main.ts', ...args], { env: serverEnvironment })
}

/** Where it is written which statements have had their rows compared with their schemas. */
const rowsFolder = path.join(ROOT, '.cache/rows')

/** From here on what is started compares every row that the database answers; in production nothing does. */
function compareRows() {
  rmSync(rowsFolder, { recursive: true, force: true })
  process.env.CHECK_ROWS = rowsFolder
}

async function dev(args) {
  compareRows()
  const watched = ['server', 'contract', newBuilds()].map((folder) => `--watch-path=${folder}`)
  await runTogether([
    { args: [...watched, 'server/main.ts', ...args] },
    { args: [toolPath('vite'), 'build', '--watch'], options: { env: { NODE_ENV: 'development' } } },
  ])
}

async function check() {
  await step('Types (tsc)', () => tool('typescript', ['-b']))
  await step('Lint (oxlint)', () => tool('oxlint', []))
  await step('Format (oxfmt)', () => tool('oxfmt', ['--check']))
  await step('Unused code (knip)', () => tool('knip', []))
  console.log(growth())
}

async function test() {
  await check()
  compareRows()
  await tier({ title: 'Tests', projects: ['plain', 'short'], browser: 'short' })
}

/**
 * What the long proofs need of the system beside a browser: proxies, a pooler, what a container and a service are made of, a store of
 * files.
 */
const systemPackages =
  'nginx caddy haproxy pgbouncer openssl iproute2 python3-seccomp tini systemd swift-proxy swift-account swift-container swift-object memcached'.split(
    ' ',
  )

/** The long proofs too. */
async function testAll() {
  await apt(...systemPackages)
  await ensureEngines()
  await inTurn(
    test,
    () => tier({ title: 'Long proofs', projects: ['long', 'alone'], browser: 'long' }),
    () => step('Statements that no test reaches', () => requireReached(rowsFolder)),
  )
}

/** Runs every part, whatever became of those before it, and fails in the end: the next whole run is hours away. */
async function inTurn(...parts) {
  let failed = 0
  for (const part of parts)
    await part().catch((error) => {
      failed += 1
      if (error.message) console.error(error.message)
    })
  if (failed > 0) throw failure('')
}

async function tier({ title, projects, browser }) {
  const chosen = projects.map((name) => `--project=${name}`)
  await inTurn(
    () => step(`${title} (vitest)`, () => tool('vitest', ['run', ...chosen])),
    async () => {
      await ensureBuilt()
      const env = { CHROMIUM_PATH: await ensureBrowser() }
      await step(`${title} in the browser (playwright)`, () =>
        tool('playwright', ['test', '--project', browser], { env }),
      )
    },
  )
}

async function e2e(args) {
  compareRows()
  await ensureBuilt()
  const env = { CHROMIUM_PATH: await ensureBrowser() }
  await step('End-to-end tests (playwright)', () => tool('playwright', ['test', ...args], { env }))
}

async function bench(args) {
  await ensureBuilt()
  const env = { CHROMIUM_PATH: await ensureBrowser() }
  await run(projectNode(), ['bench/main.ts', ...args], { env })
}

/** Contact sheets of every page, to be looked at by people. */
async function pictures(args) {
  await ensureBuilt()
  const env = { CHROMIUM_PATH: await ensureBrowser() }
  await run(projectNode(), ['e2e/pictures/main.ts', ...args], { env })
}

async function main([name, ...args]) {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined
  if (!command) throw failure(`Usage: node run.mjs <${Object.keys(commands).join('|')}> [arguments]`, 2)
  const began = performance.now()
  if (command === commands.doctor && !isInstalled())
    return console.log('Nothing is installed here yet. Run “npm start” first.')
  await ensureInstalled()
  await command(args)
  if (name.startsWith('test')) console.log(`All tests passed in ${seconds(began)}.`)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  // What ran has said why it failed; a message of ours adds what to do. Anything else is a fault of ours.
  if (error.exitCode === undefined) console.error(error)
  else if (error.message) console.error(error.message)
  process.exitCode = error.exitCode ?? 1
}
