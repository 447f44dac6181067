import { useSyncExternalStore } from 'react'
import type { Role } from '#contract/roles.ts'
import { paths } from '#web/paths.ts'
import { keep } from '#web/ui/browser/persisted.ts'
import { mayOpen } from '../gates.ts'

export type Shortcut = { keys: string; label: string }
type PageShortcut = Shortcut & { to: string }

const places: readonly PageShortcut[] = [
  { keys: 'g d', label: 'Dashboard', to: paths.dashboard() },
  { keys: 'g o', label: 'Organizations', to: paths.organizations() },
  { keys: 'g c', label: 'Content', to: paths.content() },
  { keys: 'g t', label: 'Transmissions', to: paths.transmissions() },
  { keys: 'g s', label: 'Settings', to: paths.settings() },
]

/** Where keys lead, as far as the role may open it. */
export function placesFor(role: Role): readonly PageShortcut[] {
  return places.filter(({ to }) => mayOpen(role, to))
}

/** Works also while somebody types, and where single keys are off. */
export const searchKeys = 'Ctrl+K'

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
  return (key: string, now: number): PageShortcut | Action | null => {
    const isSecond = now - began <= patience
    began = key === 'g' ? now : -Infinity
    if (isSecond) return placesFor(role()).find(({ keys }) => keys === `g ${key}`) ?? null
    return Object.hasOwn(actions, key) ? (key as Action) : null
  }
}

/** Whether single keys do something. Who speaks to the computer, or types with a tremor, switches them off. */
export const singleKeys = keep<boolean>('shortcuts', {
  parse: (text) => text !== 'off',
  format: (isOn) => (isOn ? 'on' : 'off'),
})

export function useSingleKeys(): boolean {
  return useSyncExternalStore(singleKeys.subscribe, singleKeys.read)
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
