import { useSyncExternalStore } from 'react'
import { pages, type Role } from '#contract/roles.ts'
import { paths } from '#web/paths.ts'

export type Shortcut = { keys: string; label: string }
type Place = Shortcut & { to: string }

const places: readonly Place[] = [
  { keys: 'g d', label: 'Dashboard', to: paths.dashboard() },
  { keys: 'g o', label: 'Organizations', to: paths.organizations() },
  { keys: 'g c', label: 'Content', to: paths.content() },
  { keys: 'g t', label: 'Transmissions', to: paths.transmissions() },
  { keys: 'g s', label: 'Settings', to: paths.settings() },
]

/** Where keys lead, as far as the role may open it. */
export function placesFor(role: Role): readonly Place[] {
  return places.filter(({ to }) => pages.some(({ path, roles }) => path === to && roles.includes(role)))
}

export const actions = {
  '/': 'Search',
  n: 'New: what this page creates',
  '?': 'This help',
} as const
export type Action = keyof typeof actions

/** Milliseconds within which the second key of a pair must come. */
const patience = 1_500

/** Keys one after another to what they mean: a place, an action, or nothing (yet). */
export function reader(role: () => Role) {
  let began = -Infinity
  return (key: string, now: number): Place | Action | null => {
    const isSecond = now - began <= patience
    began = key === 'g' ? now : -Infinity
    if (isSecond) return placesFor(role()).find(({ keys }) => keys === `g ${key}`) ?? null
    return Object.hasOwn(actions, key) ? (key as Action) : null
  }
}

const storageKey = 'shortcuts'
const listeners = new Set<() => void>()
let isOn: boolean | undefined

function read(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

function show(next: boolean): void {
  isOn = next
  for (const listener of listeners) listener()
}

function follow(event: StorageEvent): void {
  if (event.key === storageKey || event.key === null) show(read())
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', follow)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('storage', follow)
  }
}

/** Whether single keys do something. Who speaks to the computer, or types with a tremor, switches them off. */
export const singleKeys = {
  isOn: (): boolean => (isOn ??= read()),
  set(next: boolean): void {
    show(next)
    try {
      localStorage.setItem(storageKey, next ? 'on' : 'off')
    } catch {
      // Storage may be switched off; the choice then lasts as long as the page.
    }
  },
}

export function useSingleKeys(): boolean {
  return useSyncExternalStore(subscribe, singleKeys.isOn)
}

let openHelp: () => void = () => undefined

/** Opens the list of shortcuts, also where single keys are off. */
export const help = {
  open: (): void => openHelp(),
  onOpen(listener: () => void): () => void {
    openHelp = listener
    return () => {
      openHelp = () => undefined
    }
  },
}
