import { useRouter, type NavigateOptions } from '@tanstack/react-router'
import { useCallback } from 'react'

declare module '@tanstack/history' {
  interface HistoryState {
    /** A form was opened from the step before, and leads back there. */
    back?: true
  }
}

/** State of a link to a form whose reader goes on where they were. */
export const comingBack = { back: true } as const

/** Leads back to where the form was opened; who came by an address has no step to go back to, and goes elsewhere. */
export function useBack(): (elsewhere: NavigateOptions) => void {
  const router = useRouter()
  return useCallback(
    (elsewhere) => {
      const { history } = router
      if (history.location.state.back) history.back()
      else void router.navigate(elsewhere)
    },
    [router],
  )
}
