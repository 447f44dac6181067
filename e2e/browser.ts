import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext } from '@playwright/test'

const debian = '/usr/bin/chromium'
const flags = [
  '--no-sandbox',
  '--headless',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ args: flags, ...program() })
}

/** Keeps what it stores in a folder, and is open to other programs at the port that it writes into `DevToolsActivePort` there. */
export function openProfile(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, {
    args: [...flags, '--remote-debugging-port=0'],
    ...program(),
  })
}

function program() {
  const named = process.env['CHROMIUM_PATH'] ?? (existsSync(debian) ? debian : undefined)
  return named === undefined ? {} : { executablePath: named }
}
