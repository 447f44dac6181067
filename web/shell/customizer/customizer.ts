import { useSyncExternalStore, type ComponentType } from 'react'
import { toast } from '#web/ui/toasts.ts'

/** The id of the panel, which its button names. */
export const panelId = 'customizer'

let isOpen = false
const listeners = new Set<() => void>()

function set(next: boolean): void {
  if (next === isOpen) return
  isOpen = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the panel of the layout's choices is open. */
export const customizer = {
  isOpen: (): boolean => isOpen,
  close: (): void => set(false),
  toggle: (): void => set(!isOpen),
}

export function useCustomizer(): boolean {
  return useSyncExternalStore(subscribe, customizer.isOpen)
}

let panel: Promise<ComponentType | null> | undefined

/** The panel with its styles, fetched when somebody is about to open it; null when it cannot be had. */
export function loadPanel(): Promise<ComponentType | null> {
  panel ??= import('./Panel.tsx').then(
    ({ Panel }) => Panel,
    () => {
      panel = undefined
      return null
    },
  )
  return panel
}

export function sayNotLoaded(): void {
  customizer.close()
  toast.failure('The layout customizer could not be loaded. Please reload the page.')
}
