import { useEffect, useRef } from 'react'
import { singleKeys, type Shortcut } from './keys.ts'

/** `keys` as people read them: `q`, `Ctrl+Z`, `Ctrl+Shift+Z`, `Alt+M`, `Alt+ArrowDown`. Without `run` the page itself sees to it, and it is only listed. */
export type PageKey = Shortcut & { run?: () => void }

let listed: readonly Shortcut[] = []

/** What the page that is open does with keys, for the list of shortcuts. */
export const listedPageKeys = (): readonly Shortcut[] => listed

const typing =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=combobox], [role=listbox]'

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> & { code?: string }

/** Whether the press is meant by what is written as `Ctrl+Shift+Z`; the command key of a Mac counts as Ctrl. */
export function isPressed(keys: string, press: Press): boolean {
  const parts = keys.toLowerCase().split('+')
  const key = parts.pop()
  // With Alt a Mac types another sign than that of the key.
  const isKey = press.key.toLowerCase() === key || (press.altKey && press.code?.toLowerCase() === `key${key}`)
  return (
    isKey &&
    (press.ctrlKey || press.metaKey) === parts.includes('ctrl') &&
    press.shiftKey === parts.includes('shift') &&
    press.altKey === parts.includes('alt')
  )
}

/** Keys of one page, while it is open. Single ones not while somebody types, or has switched them off; none while a dialog is open. */
export function usePageKeys(keys: readonly PageKey[]): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
    listed = keys
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return
      const found = latest.current.find((one) => one.run && isPressed(one.keys, event))
      if (!found || document.querySelector('dialog[open], [aria-modal=true]')) return
      const isSingle = !found.keys.includes('+')
      const isTyping = event.target instanceof Element && event.target.closest(typing) !== null
      if (isSingle && (isTyping || event.repeat || !singleKeys.read())) return
      event.preventDefault()
      found.run?.()
    }
    addEventListener('keydown', listen)
    return () => {
      removeEventListener('keydown', listen)
      listed = []
    }
  }, [])
}
