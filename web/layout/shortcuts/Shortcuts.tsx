import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { dialogOnDemand } from '#web/ui/browser/onDemand.tsx'
import { useUser } from '../../session/useSession.ts'
import { help, reader, searchKeys, singleKeys, type Action } from './keys.ts'
import { isPressed } from './pageKeys.ts'

const Help = dialogOnDemand(async () => (await import('./Help.tsx')).Help)

/** Listens for single keys, and shows what they do. */
export function Shortcuts() {
  const { role } = useUser()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => help.onOpen(() => setOpen(true)), [])
  useEffect(() => {
    const read = reader(() => role)
    const listen = (event: KeyboardEvent) => {
      if (isPressed(searchKeys, event) && !event.defaultPrevented && !isBusy()) {
        event.preventDefault()
        focusSearch()
        return
      }
      if (!isMeant(event)) return
      const meaning = read(event.key, event.timeStamp)
      if (meaning === null) return
      event.preventDefault()
      if (typeof meaning === 'object') void navigate({ to: meaning.to })
      else act[meaning]()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [role, navigate])
  return (
    isOpen && (
      <Suspense>
        <Help role={role} onClose={() => setOpen(false)} />
      </Suspense>
    )
  )
}

const act: Record<Action, () => void> = {
  '/': focusSearch,
  n: () => document.querySelector<HTMLElement>('main [data-create]')?.click(),
  '?': help.open,
}

/** The field of the top bar with its list, or what opens both where there is no room. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('#bar-search input')
  if (!field?.checkVisibility())
    return document.querySelector<HTMLElement>('[aria-controls=bar-search]')?.click()
  field.focus()
  field.select()
  field.click()
}

/** Somebody answers a question, which nothing else may come before. */
const isBusy = () => document.querySelector('dialog[open], [aria-modal=true]') !== null

const typing =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=combobox], [role=listbox], [role=slider], [data-player], dialog, [popover]'

/** Not while somebody types, plays, or answers a question, and never together with another key. */
function isMeant(event: KeyboardEvent): boolean {
  const { target, ctrlKey, altKey, metaKey, repeat, isComposing, defaultPrevented } = event
  if (!singleKeys.read() || ctrlKey || altKey || metaKey || repeat || isComposing || defaultPrevented)
    return false
  return !isBusy() && !(target instanceof Element && target.closest(typing))
}
