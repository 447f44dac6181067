import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.join(import.meta.dirname, '../..')
/** Faults are made here, never in the working tree. It holds what is committed, and shares the packages by hard links. */
const copy = path.join(root, '.cache/faults')

export function makeCopy(): void {
  removeCopy()
  execFileSync('git', ['clone', '--quiet', '--shared', root, copy])
  execFileSync('cp', ['-al', path.join(root, 'node_modules'), copy])
}

export function removeCopy(): void {
  rmSync(copy, { recursive: true, force: true })
}

/** Product code by path, in which faults are made and lines are looked for. */
export function readProduct(): Map<string, string> {
  const args = ['ls-files', 'contract/*.ts', 'server/*.ts', 'web/*.ts', 'web/*.tsx']
  const files = execFileSync('git', args, { cwd: copy, encoding: 'utf8' }).trim().split('\n')
  const noProduct = /\.test\.|\.d\.ts$|\/testing\/|\/migrations\/|^server\/sample\/|^web\/dev\//
  return new Map(
    files
      .filter((file) => !noProduct.test(file))
      .map((file) => [file, readFileSync(path.join(copy, file), 'utf8')]),
  )
}

/** Changes a file and gives what undoes it. That takes the time back too, by which a build tells what is new. */
export function changeFile(file: string, text: string): () => void {
  const full = path.join(copy, file)
  const before = readFileSync(full)
  const { atime, mtime } = statSync(full)
  writeFileSync(full, text)
  return () => {
    writeFileSync(full, before)
    utimesSync(full, atime, mtime)
  }
}

/** Runs a script with the Node.js of the project, beside other work, for at most ten minutes. */
export function runScript(args: string[]): { passed: boolean; output: string } {
  const patience = ['--foreground', '--kill-after=20', '600', 'nice', '-n', '10']
  const { status, stdout, stderr } = spawnSync('timeout', [...patience, process.execPath, ...args], {
    cwd: copy,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: 2 ** 28,
  })
  return { passed: status === 0, output: `${stdout}\n${stderr}` }
}
