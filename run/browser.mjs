import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { apt, mayUseApt } from './apt.mjs'
import { failure, projectNode, ROOT, step, tool } from './process.mjs'

// Nobody looks at the windows of tests: the program that has none takes half the work to draw the same pages.
const SHELL = '/usr/bin/chromium-headless-shell'
const NAMES = ['chromium', 'google-chrome', 'google-chrome-stable', 'chrome.exe']
const FIXED = [SHELL, '/usr/bin/chromium', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']

/** The path of a Chromium for the end-to-end tests; installs one where that is possible. */
export async function ensureBrowser() {
  const named = process.env.CHROMIUM_PATH
  if (named && !isProgram(named)) throw failure(`CHROMIUM_PATH names no program: ${named}`)
  if (named) return named
  // Where there is no such package, another Chromium will do.
  if (mayUseApt() && !isProgram(SHELL)) await apt('chromium-headless-shell')
  const found = findBrowser()
  if (found) return found
  await step('Installing Chromium', installBrowser)
  const installed = findBrowser()
  if (installed) return installed
  throw failure(
    'The end-to-end tests need Chromium, and it could not be installed here. ' +
      'Install Chromium or Google Chrome, or set CHROMIUM_PATH to one.',
  )
}

function findBrowser() {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const inPath = NAMES.flatMap((name) => directories.map((directory) => join(directory, name)))
  return [...FIXED, ...inPath, playwrightsOwn()].find(isProgram)
}

async function installBrowser() {
  // The libraries it needs can only be installed by root; others would be asked for a password.
  const options = process.getuid?.() === 0 ? ['--with-deps'] : []
  const attempts = [() => tool('playwright', ['install', ...options, 'chromium'])]
  if (mayUseApt()) attempts.push(() => apt('chromium'))
  for (const attempt of attempts) {
    await attempt().catch(() => {})
    if (findBrowser()) return
  }
}

function playwrightsOwn() {
  const script = "process.stdout.write(require('@playwright/test').chromium.executablePath())"
  try {
    return execFileSync(projectNode(), ['-e', script], { cwd: ROOT, encoding: 'utf8' })
  } catch {
    return ''
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
