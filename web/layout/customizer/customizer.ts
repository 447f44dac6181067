import { useSyncExternalStore, type ComponentType } from 'react'
import { openStore } from '#web/ui/browser/store.ts'
import { toast } from '#web/ui/feedback/toasts.ts'

/** The id of the panel, which its button names. */
export const panelId = 'customizer'

const store = openStore(() => false)

/** Whether the panel of the layout's choices is open. */
export const customizer = {
  isOpen: store.read,
  close: (): void => store.set(false),
  toggle: (): void => store.set(!store.read()),
}

export function useCustomizer(): boolean {
  return useSyncExternalStore(store.subscribe, store.read)
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
