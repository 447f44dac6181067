import { execFileSync } from 'node:child_process'

/** What npm tells those whom it runs, such as its own options, is not meant for an npm that they run themselves. */
export const withoutOwn = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name)))

/** Runs npm in a folder; gives what it answers. */
export function npm(folder: string, ...args: string[]): string {
  return execFileSync('npm', [...args, '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: withoutOwn(process.env),
  })
}
