import { existsSync } from 'node:fs'
import { run, step } from './process.mjs'

/** Whether packages of Debian can be installed here without asking anybody. */
export const mayUseApt = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

/** Installs them where that is possible. Whoever needs one looks whether it is there. */
export async function apt(...packages) {
  if (!mayUseApt()) return
  await step(`Installing ${packages.join(', ')}`, async () => {
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-qq'], { env }).catch(() => {})
    const options = ['-y', '-qq', '--no-install-recommends']
    await run('apt-get', ['install', ...options, ...packages], { env }).catch(() => {})
  })
}
