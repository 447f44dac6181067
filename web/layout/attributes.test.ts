import { readFile } from 'node:fs/promises'
import path from 'node:path'
import vm from 'node:vm'
import { expect, test } from 'vitest'
import { attributesOf } from './attributes.ts'
import type { Device } from './effective.ts'
import { queries } from './effective.ts'
import { defaults, fromStorage, options, withChoices } from './settings.ts'

const boot = await readFile(path.resolve(import.meta.dirname, '../boot.js'), 'utf8')

/** Runs the real boot file against a page that has nothing but what it touches. */
function booted(stored: string | null, device: Device): Record<string, string> {
  const attributes: Record<string, string> = {}
  const matching = new Set<string>(
    Object.entries(device).flatMap(([name, on]) => (on ? [queries[name as keyof Device]] : [])),
  )
  vm.runInNewContext(boot, {
    localStorage: { getItem: () => stored },
    matchMedia: (query: string) => ({ matches: matching.has(query) }),
    document: {
      documentElement: { setAttribute: (name: string, value: string) => (attributes[name] = value) },
      querySelectorAll: () => [],
    },
  })
  return attributes
}

/** Each choice as it is kept when everything else is left as it was. */
const everyChoice = Object.entries(options).flatMap(([name, list]) =>
  list.map((value) => JSON.stringify(withChoices(defaults, { [name]: value }))),
)

const stores = [
  null,
  'no json',
  'null',
  '7',
  '{"skin":"galaxy","theme":"pink","sidenav":{"size":"huge","user":"yes"}}',
  '{"skin":"saas","theme":"dark","sidenav":{"size":"condensed","color":"gray","user":false},"topBar":{"color":"gradient"}}',
  '{"theme":"system","orientation":"horizontal","position":"scrollable","width":"boxed","sidenav":{"size":"compact"}}',
  '{"sidenav":{"size":"offcanvas"}}',
  ...everyChoice,
]
const devices: Device[] = [
  { phone: true, tablet: true, narrow: true, dark: true },
  { phone: false, tablet: true, narrow: true, dark: false },
  { phone: false, tablet: true, narrow: false, dark: true },
  { phone: false, tablet: false, narrow: false, dark: false },
]

test.each(stores)('the page starts with %s as it will go on', (stored) => {
  for (const device of devices)
    expect(booted(stored, device)).toEqual(
      attributesOf({ saved: fromStorage(stored), device, override: {}, transient: null }),
    )
})
