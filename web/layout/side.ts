import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import * as z from 'zod/mini'
import { comingBack, useBack } from './back.ts'
import { readSearch } from './page.ts'
import { usePageKeys } from './shortcuts/pageKeys.ts'

/** Which form lies over a list: that of a new row, or of the row with this id. */
const sideSearch = z.object({ form: z.catch(z.optional(z.union([z.literal('new'), z.uuid()])), undefined) })

export function sideOf(search: unknown): string | undefined {
  return readSearch(sideSearch, search).form
}

/** Props of a link that opens a form over the list which the address shows: filters, page and place in it stay. */
export function toSide(form: string) {
  return {
    to: '.',
    search: (now: object) => ({ ...now, form }),
    state: comingBack,
    resetScroll: false,
  } as const
}

/** The form over the list, and the way back to the list as it was. */
export function useSide(): { form: string | undefined; close: () => void } {
  const form = useLocation({ select: ({ search }) => sideOf(search) })
  const back = useBack()
  const close = useCallback(() => {
    const search = (now: object) => ({ ...now, form: undefined })
    back({ to: '.', search, replace: true, resetScroll: false })
  }, [back])
  return { form, close }
}

/** `e` opens the form of the row that has the focus. */
export function useEditKey(mayEdit = true): void {
  const navigate = useNavigate()
  const run = () => {
    const form = document.activeElement?.closest('tr')?.querySelector<HTMLElement>('[data-edit]')?.dataset[
      'edit'
    ]
    if (form) void navigate(toSide(form))
  }
  usePageKeys(mayEdit ? [{ keys: 'e', label: 'Edit the row that has the focus', run }] : [])
}
